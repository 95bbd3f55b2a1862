export function Moderation() { return null; }
