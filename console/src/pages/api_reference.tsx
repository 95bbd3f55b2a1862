export function ApiReference() { return null; }
