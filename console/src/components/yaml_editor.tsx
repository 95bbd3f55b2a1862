// The model's text with colours, completion and findings beside their lines. CodeMirror loads when this is first shown.
// It lives in a shadow root: there its style sheets are objects, which the content security policy allows.

import { useEffect, useRef } from 'react';
import type { Problem } from '../api/models';

export interface YamlEditorProps {
  text: string;
  change: (text: string) => void;
  check: (text: string, signal: AbortSignal) => Promise<Problem[]>;
  goTo: { line: number; column: number } | null;
}

export function YamlEditor({ text, change, check, goTo }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ goTo: (line: number, column: number) => void; destroy: () => void } | null>(null);
  const latest = useRef({ change, check });
  latest.current = { change, check };

  useEffect(() => {
    let gone = false;
    void import('../lib/code_mirror').then(({ openEditor }) => {
      const element = host.current;
      if (gone || !element) return;
      const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
      editor.current = openEditor({
        root,
        text,
        changed: (next) => latest.current.change(next),
        check: (next, signal) => latest.current.check(next, signal),
      });
    });
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);

  useEffect(() => {
    if (goTo) editor.current?.goTo(goTo.line, goTo.column);
  }, [goTo]);

  return <div className="editor" ref={host} role="group" aria-label="Model as YAML" />;
}
