// What an access key may, as the server writes it: `read`, `write`, `admin`, or `read:Orders,Users;write:Orders`. Parts add up;
// `write` does not include `read`.

export type Right = 'none' | 'read' | 'write';

export interface ScopeDraft {
  all: 'read' | 'write' | 'admin' | 'tables';
  tables: Record<string, Right>;
}

export function scopeText({ all, tables }: ScopeDraft): string {
  if (all === 'write') return 'read;write';
  if (all !== 'tables') return all;
  const names = (right: Right) => Object.keys(tables).filter((name) => tables[name] === right).sort();
  // Who writes a table reads it as well.
  const [reads, writes] = [[...names('read'), ...names('write')].sort(), names('write')];
  return [reads.length > 0 ? `read:${reads.join(',')}` : '', writes.length > 0 ? `write:${writes.join(',')}` : ''].filter(Boolean).join(';');
}

// In words, for the list.
export function scopeWords(scope: string | null | undefined): string {
  if (!scope || scope === 'admin') return 'everything';
  if (scope === 'full') return 'everything';
  if (scope === 'read;write') return 'read and write every table';
  if (scope === 'read' || scope === 'write') return `${scope} every table`;
  return scope
    .split(';')
    .map((part) => {
      const [right = '', tables = ''] = part.split(':');
      return tables ? `${right} ${tables.split(',').join(', ')}` : right;
    })
    .join('; ');
}
