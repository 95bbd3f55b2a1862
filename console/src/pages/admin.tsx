export function Admin() { return null; }
