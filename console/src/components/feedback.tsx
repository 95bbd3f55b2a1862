// What a page says while it loads, when there is nothing, and when something went wrong.

import type { ReactNode } from 'react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { ApiError } from '../api/client';
import type { Load } from '../lib/use_load';
import { Button } from './controls';
import { Icon } from './icons';

export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  );
}

export function Empty({ icon = 'items', title, children }: { icon?: string; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      {children}
    </div>
  );
}

function advice(error: Error): string {
  if (/dynamically imported module/.test(error.message)) return 'The server has another version of this page now. Load the console again.';
  if (!(error instanceof ApiError)) return '';
  if (error.code === 'ReadOnly') return 'The switch is at the top.';
  if (error.code === 'ConditionalCheckFailedException') return 'Somebody changed it in between. Load it again and look at what it is now.';
  if (error.status === 0) return 'Look at the terminal or the service log of the server.';
  if (error.status === 404) return 'It may have been removed, or this server has no such call.';
  if (error.status === 503) return 'The store is busy or not reachable; it is worth trying again.';
  return '';
}

export function ErrorNotice({ error, retry }: { error: Error; retry?: () => void }) {
  const code = error instanceof ApiError ? error.code : error.name;
  return (
    <div className="notice bad" role="alert">
      <div>
        <strong>{code}</strong> {error.message} <span className="quiet">{advice(error)}</span>
      </div>
      {retry && (
        <Button size="small" icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

// The three states of a load; children get the data.
export function Loaded<T>({ load, lines, children }: { load: Load<T>; lines?: number; children: (data: T) => ReactNode }) {
  if (load.data !== undefined) {
    return (
      <>
        {load.error && <ErrorNotice error={load.error} retry={load.reload} />}
        {children(load.data)}
      </>
    );
  }
  if (load.error) return <ErrorNotice error={load.error} retry={load.reload} />;
  return <Skeleton lines={lines} />;
}

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

let toasts: Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function setToasts(next: Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(text: string, bad = false) {
  const id = ++lastId;
  setToasts([...toasts.slice(-2), { id, text, bad }]);
  setTimeout(() => setToasts(toasts.filter((entry) => entry.id !== id)), bad ? 9000 : 4000);
}

export const toastError = (error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  const more = error instanceof Error ? advice(error) : '';
  toast(more ? `${text.replace(/\.$/, '')}. ${more}` : text, true);
};

export function Toasts() {
  const shown = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => toasts,
  );
  const box = useRef<HTMLDivElement>(null);
  // The top layer, so that a toast is seen above an open dialog.
  useEffect(() => {
    const element = box.current;
    if (!element?.showPopover) return;
    if (element.matches(':popover-open')) element.hidePopover();
    if (shown.length > 0) element.showPopover();
  }, [shown]);
  return (
    <div className="toasts" ref={box} popover="manual" role="status" aria-live="polite">
      {shown.map(({ id, text, bad }) => (
        <div key={id} className={`toast ${bad ? 'bad' : ''}`}>
          <span className="grow">{text}</span>
          <Button kind="plain" size="small" icon="close" aria-label="Dismiss" onClick={() => setToasts(toasts.filter((entry) => entry.id !== id))} />
        </div>
      ))}
    </div>
  );
}
