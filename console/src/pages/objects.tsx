export function Objects() { return null; }
