// CodeMirror as this console uses it. Loaded lazily: it is larger than everything else together.

import { type Completion, type CompletionContext, type CompletionResult, autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, linter } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Problem } from '../api/models';
import { kModelWords } from './model_words';

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12.5px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-3)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--accent-wash) 45%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-wash)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line-2)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-textfield, .cm-button': { backgroundColor: 'var(--surface)', backgroundImage: 'none', color: 'var(--ink)', border: '1px solid var(--line-2)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--ink-3)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'light-dark(#7a4a00, #e2b978)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.bool, tags.number], color: 'light-dark(#6b3fa0, #c3a6f0)' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--ink-3)' },
]);

// Properties of the language, and every name that the text itself defines.
function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w$-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const names = new Set<string>();
  for (const match of context.state.doc.toString().matchAll(/^\s*"?([A-Za-z_][\w-]*)"?\s*:/gm)) names.add(match[1]!);
  const options: Completion[] = Object.entries(kModelWords).map(([label, info]) => ({ label, info, type: 'keyword' }));
  for (const label of names) if (!(label in kModelWords)) options.push({ label, type: 'variable' });
  return { from: word.from, options, validFor: /^[\w$-]*$/ };
}

interface EditorOptions {
  root: ShadowRoot;
  text: string;
  changed: (text: string) => void;
  check: (text: string, signal: AbortSignal) => Promise<Problem[]>;
}

export function openEditor({ root, text, changed, check }: EditorOptions) {
  let running: AbortController | null = null;
  const lint = linter(
    async (view): Promise<Diagnostic[]> => {
      running?.abort();
      running = new AbortController();
      const problems = await check(view.state.doc.toString(), running.signal).catch(() => []);
      const doc = view.state.doc;
      return problems.map(({ line, column, severity, rule, message, suggestion }) => {
        const at = doc.line(Math.min(Math.max(1, line), doc.lines));
        const from = Math.min(at.to, at.from + Math.max(0, column - 1));
        return {
          from,
          to: Math.max(from, Math.min(at.to, from + 1)),
          severity: severity === 'error' ? 'error' : severity === 'warning' ? 'warning' : 'info',
          source: rule,
          message: suggestion ? `${message}. ${suggestion}` : message,
        };
      });
    },
    { delay: 500 },
  );
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        autocompletion({ override: [complete] }),
        yaml(),
        syntaxHighlighting(colours),
        lintGutter(),
        lint,
        theme,
        keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Model as YAML. Escape, then Tab leaves the editor.' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    goTo(line: number, column: number) {
      const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      const position = Math.min(at.to, at.from + Math.max(0, column - 1));
      view.dispatch({ selection: { anchor: position }, effects: EditorView.scrollIntoView(position, { y: 'center' }) });
      view.focus();
    },
    destroy() {
      running?.abort();
      view.destroy();
    },
  };
}
