// Text to copy: single values, blocks, and one request in several languages.

import { useState } from 'react';
import { useSession } from '../api/session';
import { type Language, kLanguages, restCurl, snippet } from '../lib/snippets';
import { Button, Segmented } from './controls';
import { toast } from './feedback';

export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    // Without HTTPS browsers offer the clipboard to loopback only.
    toast('The browser does not allow copying here. Select the text and copy it.', true);
  }
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  return <Button kind="plain" size="small" icon="copy" aria-label={label} title={label} onClick={() => void copy(text)} />;
}

export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div className="code">
      <pre tabIndex={0} aria-label={label} className={wrap ? 'wrap' : ''}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}

interface SnippetsProps {
  operation: string;
  request: Record<string, unknown>;
  route?: string | null;
}

export function Snippets({ operation, request, route }: SnippetsProps) {
  const { session } = useSession();
  const [language, setLanguage] = useState<Language | 'rest'>('json');
  const target = { endpoint: session.urls.dynamodb ?? `https://dynamodb.${session.region}.amazonaws.com`, region: session.region };
  const options: { value: Language | 'rest'; title: string }[] = kLanguages.map(({ id, title }) => ({ value: id, title }));
  if (route) options.push({ value: 'rest', title: 'REST' });
  const text = language === 'rest' ? restCurl(`${session.urls.http ?? location.origin}${route ?? ''}`) : snippet(language, operation, request, target);
  return (
    <div className="stack tight">
      <Segmented label="Language" value={language} change={setLanguage} options={options} />
      <Code text={text} label={`${operation} as ${language}`} />
    </div>
  );
}
