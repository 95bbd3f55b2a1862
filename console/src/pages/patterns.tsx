export function Patterns() { return null; }
