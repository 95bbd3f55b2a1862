export function Items() { return null; }
