// Loads something for a page and keeps the last answer by its key: a page that is opened again shows it at once, and
// then what is new.

import { useCallback, useEffect, useRef, useState } from 'react';

export interface Load<T> {
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
}

const answers = new Map<string, unknown>();
const kMostAnswers = 200;

export function remember(key: string, value: unknown) {
  answers.delete(key);
  answers.set(key, value);
  if (answers.size > kMostAnswers) answers.delete(answers.keys().next().value!);
}

export const forgetAll = () => answers.clear();

// `key` null loads nothing. `every` repeats it after so many milliseconds while the page is visible.
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, every = 0): Load<T> {
  const [, redraw] = useState(0);
  const state = useRef<{ key: string | null; error?: Error; loading: boolean }>({ key: null, loading: false });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  if (state.current.key !== key) state.current = { key, loading: key !== null };

  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = (error?: Error) => {
      if (abort.signal.aborted) return;
      state.current = { key, error, loading: false };
      redraw((n) => n + 1);
      if (every > 0) timer = setTimeout(again, every);
    };
    const again = () => {
      if (document.hidden && every > 0 && answers.has(key)) {
        timer = setTimeout(again, every);
        return;
      }
      latest.current(abort.signal).then(
        (value) => {
          if (!abort.signal.aborted) remember(key, value);
          done();
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    };
    again();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, round, every]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  const data = key === null ? undefined : (answers.get(key) as T | undefined);
  return { data, error: state.current.error, loading: state.current.loading && data === undefined, reload };
}
