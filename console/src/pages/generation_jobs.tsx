export function GenerationJobs() { return null; }
