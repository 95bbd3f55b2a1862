// Which rows of a long list are in sight, so that only these are drawn.

import { type RefObject, useEffect, useRef, useState } from 'react';

const kSpare = 8;

export interface RowWindow {
  box: RefObject<HTMLDivElement | null>;
  first: number;
  last: number;
  above: number; // pixels of the rows that are not drawn
  below: number;
}

export function useWindow(rows: number, rowHeight: number): RowWindow {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 700 });
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
  const first = Math.min(rows, Math.max(0, Math.floor(view.top / rowHeight) - kSpare));
  const last = Math.min(rows, Math.ceil((view.top + view.height) / rowHeight) + kSpare);
  return { box, first, last, above: first * rowHeight, below: (rows - last) * rowHeight };
}

// Up and down between the buttons of neighbouring rows.
export function moveBetweenRows(event: { key: string; currentTarget: HTMLElement; preventDefault: () => void }) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const row = event.currentTarget.closest('tr')!;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
  next?.querySelector<HTMLButtonElement>('.cell-button')?.focus();
}
