export function Credits() { return null; }
