// What was and what is, attribute by attribute.

import { summary } from '../lib/attribute';
import type { Change } from '../lib/expression';

export function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="stack tight" aria-label="Changes">
      {changes.map(({ name, before, after }) => (
        <li key={name} className="change">
          <b>{name}</b>
          <del>{before ? summary(before) : 'absent'}</del>
          <ins>{after ? summary(after) : 'removed'}</ins>
        </li>
      ))}
    </ul>
  );
}
