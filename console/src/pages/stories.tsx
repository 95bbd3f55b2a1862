export function Stories() { return null; }
