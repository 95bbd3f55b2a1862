// Items as a table that draws only the rows in sight: keys first, then what most items have.

import { useMemo, useRef } from 'react';
import type { Model } from '../api/models';
import { type Item, summary, typeOf } from '../lib/attribute';
import { entityOf } from '../lib/key_template';
import { moveBetweenRows, useWindow } from '../lib/use_window';
import { EntityBadge } from './entity';

const kRowHeight = 34;
const kMostColumns = 40;

// Keys, then attributes by how many items have them; ties in order of appearance.
export function columnsOf(items: readonly Item[], keys: readonly string[]): string[] {
  const seen = new Map<string, number>();
  for (const item of items) for (const name of Object.keys(item)) seen.set(name, (seen.get(name) ?? 0) + 1);
  const rest = [...seen.keys()].filter((name) => !keys.includes(name)).sort((a, b) => seen.get(b)! - seen.get(a)!);
  return [...keys, ...rest].slice(0, kMostColumns);
}

interface ItemGridProps {
  items: readonly Item[];
  keys: readonly string[];
  model: Model | undefined;
  open: (item: Item) => void;
  selection?: { has: (item: Item) => boolean; toggle: (items: readonly Item[], on: boolean) => void };
}

export function ItemGrid({ items, keys, model, open, selection }: ItemGridProps) {
  const { box, first, last, above, below } = useWindow(items.length, kRowHeight);
  const columns = useMemo(() => columnsOf(items, keys), [items, keys]);
  const lastTouched = useRef<number | null>(null);
  const chosen = selection ? items.filter(selection.has).length : 0;
  // With Shift everything between this row and the one before follows.
  const touch = (at: number, on: boolean, shift: boolean) => {
    const from = shift && lastTouched.current !== null ? lastTouched.current : at;
    selection!.toggle(items.slice(Math.min(from, at), Math.max(from, at) + 1), on);
    lastTouched.current = at;
  };
  const pad = (height: number) =>
    height > 0 && (
      <tr className="pad" aria-hidden="true">
        <td colSpan={columns.length + (selection ? 2 : 1)} style={{ height: `${height}px` }} />
      </tr>
    );

  return (
    <div className="scroll grid-table" ref={box} role="region" aria-label="Items" tabIndex={0}>
      <table aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="pick">
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={chosen > 0 && chosen === items.length}
                  ref={(box) => {
                    if (box) box.indeterminate = chosen > 0 && chosen < items.length;
                  }}
                  onChange={(event) => selection.toggle(items, event.currentTarget.checked)}
                />
              </th>
            )}
            <th scope="col">Entity</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pad(above)}
          {items.slice(first, last).map((item, at) => (
            <tr key={first + at} aria-rowindex={first + at + 2} className="clickable" aria-selected={selection?.has(item)} onClick={() => open(item)}>
              {selection && (
                <td className="pick" onClick={(event) => event.stopPropagation()}>
                  <input
                    type="checkbox"
                    aria-label={`Select ${keys.map((name) => summary(item[name])).join(' / ')}`}
                    checked={selection.has(item)}
                    onClick={(event) => touch(first + at, event.currentTarget.checked, event.shiftKey)}
                    onChange={() => {}}
                  />
                </td>
              )}
              <td>{model ? <EntityBadge model={model} name={entityOf(item, model)?.name} /> : <span className="quiet">–</span>}</td>
              {columns.map((name, column) => (
                <td key={name} className={`${keys.includes(name) ? 'key' : ''} ${typeOf(item[name]) === 'N' ? 'num' : ''} ${item[name] ? '' : 'absent'}`}>
                  {column === 0 ? (
                    <button type="button" className="cell-button" onKeyDown={moveBetweenRows} onClick={(event) => (event.stopPropagation(), open(item))}>
                      {summary(item[name]) || '–'}
                    </button>
                  ) : (
                    summary(item[name]) || '·'
                  )}
                </td>
              ))}
            </tr>
          ))}
          {pad(below)}
        </tbody>
      </table>
    </div>
  );
}
