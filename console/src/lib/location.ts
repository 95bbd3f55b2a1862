// Pages are hash routes with their state behind a question mark: #/items/gallery?index=GSI1. The whole state of a page is
// in its address, so that it can be shared and the back button works.

import { useCallback, useMemo, useSyncExternalStore } from 'react';

function subscribe(changed: () => void) {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

const current = () => location.hash.slice(1) || '/';
const split = (hash: string) => hash.split('?') as [string, string | undefined];

// An address that somebody typed may hold a stray percent sign.
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

export function navigate(to: string, { replace = false } = {}) {
  const url = `#${to}`;
  if (location.hash === url) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

// What wouter's Router takes as `hook`.
export function useHashPath(): [string, typeof navigate] {
  const path = useSyncExternalStore(subscribe, () => decoded(split(current())[0]));
  return [path, navigate];
}
useHashPath.hrefs = (href: string) => `#${href}`;

export type Query = Record<string, string>;

// The state in the address, and a function that changes parts of it; an empty value leaves it.
export function useQuery(): [Query, (changes: Record<string, string | null | undefined>, push?: boolean) => void] {
  const hash = useSyncExternalStore(subscribe, current);
  const query = useMemo(() => Object.fromEntries(new URLSearchParams(split(hash)[1] ?? '')), [hash]);
  const change = useCallback((changes: Record<string, string | null | undefined>, push = false) => {
    const [path, text] = split(current());
    const params = new URLSearchParams(text ?? '');
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === '') params.delete(name);
      else params.set(name, value);
    }
    const rest = params.toString();
    navigate(rest ? `${path}?${rest}` : path, { replace: !push });
  }, []);
  return [query, change];
}

export function link(path: string, query: Record<string, string | null | undefined> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

export const part = encodeURIComponent;
