export function Orders() { return null; }
