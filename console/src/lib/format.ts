// Numbers, sizes and times as people read them.

const number = new Intl.NumberFormat('en');

export const count = (value: number | null | undefined) => (value === null || value === undefined ? '–' : number.format(value));

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) {
    left /= 1024;
    at += 1;
  }
  return `${at === 0 || left >= 100 ? Math.round(left) : left.toFixed(1)} ${units[at]}`;
}

export function micros(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 1000) return `${Math.round(value)} µs`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} ms`;
  return `${(value / 1_000_000).toFixed(1)} s`;
}

export const units = (value: number | null | undefined) => (value === null || value === undefined ? '–' : String(Math.round(value * 100) / 100));

export const clock = (ms: number) => new Date(ms).toISOString().slice(11, 19);

export function moment(value: number | string | null | undefined): string {
  if (value === null || value === undefined || value === '') return '–';
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : date.toISOString().replace('T', ' ').slice(0, 19);
}

export function ago(ms: number, now = Date.now()): string {
  const seconds = Math.round((now - ms) / 1000);
  const size = Math.abs(seconds);
  const text =
    size < 60 ? `${size} s` : size < 3600 ? `${Math.round(size / 60)} min` : size < 172_800 ? `${Math.round(size / 3600)} h` : `${Math.round(size / 86_400)} days`;
  if (size < 3) return 'now';
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
}

// How often: 600000 is "10 min".
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
