// Items as a table that draws only the rows in sight: keys first, then what most items have.

import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Model } from '../api/models';
import { type Item, summary, typeOf } from '../lib/attribute';
import { entityOf } from '../lib/key_template';
import { EntityBadge } from './entity';

const kRowHeight = 34;
const kSpare = 8;
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
}

export function ItemGrid({ items, keys, model, open }: ItemGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 700 });
  const columns = useMemo(() => columnsOf(items, keys), [items, keys]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      observer.disconnect();
    };
  }, []);

  const first = Math.max(0, Math.floor(view.top / kRowHeight) - kSpare);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / kRowHeight) + kSpare);
  const pad = (height: number) =>
    height > 0 && (
      <tr className="pad" aria-hidden="true">
        <td colSpan={columns.length + 1} style={{ height: `${height}px` }} />
      </tr>
    );

  const move = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const row = event.currentTarget.closest('tr')!;
    const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
    next?.querySelector<HTMLButtonElement>('.cell-button')?.focus();
  };

  return (
    <div className="scroll grid-table" ref={box} role="region" aria-label="Items" tabIndex={0}>
      <table aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            <th scope="col">Entity</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pad(first * kRowHeight)}
          {items.slice(first, last).map((item, at) => (
            <tr key={first + at} aria-rowindex={first + at + 2} className="clickable" onClick={() => open(item)}>
              <td>{model ? <EntityBadge model={model} name={entityOf(item, model)?.name} /> : <span className="quiet">–</span>}</td>
              {columns.map((name, column) => (
                <td key={name} className={`${keys.includes(name) ? 'key' : ''} ${typeOf(item[name]) === 'N' ? 'num' : ''} ${item[name] ? '' : 'absent'}`}>
                  {column === 0 ? (
                    <button type="button" className="cell-button" onKeyDown={move} onClick={(event) => (event.stopPropagation(), open(item))}>
                      {summary(item[name]) || '–'}
                    </button>
                  ) : (
                    summary(item[name]) || '·'
                  )}
                </td>
              ))}
            </tr>
          ))}
          {pad((items.length - last) * kRowHeight)}
        </tbody>
      </table>
    </div>
  );
}
