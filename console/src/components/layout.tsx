// Head of a page, cards, figures, lists of facts and tables.

import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useSession } from '../api/session';

export function PageHead({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  const { session } = useSession();
  useEffect(() => {
    document.title = `${title} · ${session.instance} · Gateleg`;
  }, [title, session.instance]);
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {about && <p className="about">{about}</p>}
      </div>
      {children && <div className="row">{children}</div>}
    </div>
  );
}

export function Card({ title, actions, flush = false, children, className = '' }: { title?: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode; className?: string }) {
  return (
    <section className={`card ${className}`}>
      {(title || actions) && (
        <header>
          <h2>{title}</h2>
          {actions && <div className="row">{actions}</div>}
        </header>
      )}
      <div className={`body ${flush ? 'flush' : ''}`}>{children}</div>
    </section>
  );
}

export function Stats({ figures }: { figures: { title: string; value: ReactNode; note?: ReactNode }[] }) {
  return (
    <dl className="stats">
      {figures.map(({ title, value, note }) => (
        <div className="stat" key={title}>
          <dt>{title}</dt>
          <dd>
            {value} {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <FactLine key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactLine({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

export interface Column<T> {
  title: string;
  cell: (row: T) => ReactNode;
  number?: boolean;
  className?: string;
}

interface TableProps<T> {
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  rowKey: (row: T, at: number) => string;
  open?: (row: T) => void;
  selected?: (row: T) => boolean;
}

export function Table<T>({ label, columns, rows, rowKey, open, selected }: TableProps<T>) {
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, number }, at) => (
              <th key={title || at} scope="col" className={number ? 'num' : ''}>
                {title || <span className="sr">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={rowKey(row, at)} className={open ? 'clickable' : ''} aria-selected={selected?.(row)} onClick={open ? () => open(row) : undefined}>
              {columns.map(({ title, cell, number, className = '' }, column) => (
                <td key={title || column} className={`${number ? 'num' : ''} ${className}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Badge({ kind = '', children }: { kind?: 'good' | 'warn' | 'bad' | 'accent' | ''; children: ReactNode }) {
  return <span className={`badge ${kind}`}>{children}</span>;
}
