// Items as files: lines of JSON, CSV, and the lines that DynamoDB's own export and import use.

import { type Item, itemToPlain, summary, toPlain, typeOf } from './attribute';

export type ExportForm = 'jsonl' | 'csv' | 'dynamodb';

export const kExportForms: { value: ExportForm; title: string; ending: string; type: string }[] = [
  { value: 'jsonl', title: 'JSON lines', ending: 'jsonl', type: 'application/x-ndjson' },
  { value: 'csv', title: 'CSV', ending: 'csv', type: 'text/csv' },
  { value: 'dynamodb', title: 'DynamoDB JSON', ending: 'ddb.jsonl', type: 'application/x-ndjson' },
];

const quoted = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvText = (rows: readonly (readonly string[])[]) => rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');

// What has no text of its own is JSON in its cell; an empty cell is an absent attribute.
function csvCell(item: Item, name: string): string {
  const value = item[name];
  if (!value) return '';
  if (['S', 'N', 'BOOL', 'NULL'].includes(typeOf(value))) return typeOf(value) === 'S' && value.S === '' ? '""' : quoted(summary(value));
  return quoted(JSON.stringify(toPlain(value)));
}

export function exportText(form: ExportForm, items: readonly Item[], keys: readonly string[]): string {
  if (form === 'csv') {
    const rest = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((name) => !keys.includes(name)).sort();
    const columns = [...keys, ...rest];
    return [columns.map(quoted).join(','), ...items.map((item) => columns.map((name) => csvCell(item, name)).join(','))].map((line) => `${line}\r\n`).join('');
  }
  return items.map((item) => `${JSON.stringify(form === 'dynamodb' ? { Item: item } : itemToPlain(item))}\n`).join('');
}

export function download(name: string, content: string | Blob, type = 'text/plain') {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The browser has taken it over by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// 20250301-120000: sorts by time, and is a name everywhere.
export const stamp = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
