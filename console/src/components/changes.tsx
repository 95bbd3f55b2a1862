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
          {before ? <del>{summary(before)}</del> : <span className="quiet">absent</span>}
          {after ? <ins>{summary(after)}</ins> : <span className="quiet">removed</span>}
        </li>
      ))}
    </ul>
  );
}
