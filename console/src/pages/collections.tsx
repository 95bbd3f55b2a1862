export function Collections() { return null; }
