// Things that keep their identity move to their new place instead of jumping there.

import { type RefObject, useLayoutEffect, useRef } from 'react';

const kMilliseconds = 420;
const kMostMoves = 400;

// Elements below `box` with data-flip are followed; they move when `key` changes.
export function useFlip(box: RefObject<HTMLElement | null>, key: string) {
  const before = useRef(new Map<string, DOMRect>());
  const lastKey = useRef(key);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const places = new Map<string, DOMRect>();
    const moved = lastKey.current !== key && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const child of element.querySelectorAll<HTMLElement>('[data-flip]')) {
      const id = child.dataset.flip!;
      const place = child.getBoundingClientRect();
      places.set(id, place);
      if (!moved || places.size > kMostMoves) continue;
      const old = before.current.get(id);
      const easing = 'cubic-bezier(0.2, 0.8, 0.2, 1)';
      if (old) child.animate([{ transform: `translate(${old.x - place.x}px, ${old.y - place.y}px)` }, { transform: 'none' }], { duration: kMilliseconds, easing });
      else child.animate([{ opacity: 0, transform: 'scale(0.9)' }, { opacity: 1, transform: 'none' }], { duration: kMilliseconds, easing });
    }
    if (places.size > 0) {
      before.current = places;
      lastKey.current = key;
    }
  });
}
