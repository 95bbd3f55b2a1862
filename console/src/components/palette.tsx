// Ctrl-K: everything that has a name, found by some of its letters.

import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { listTables } from '../api/dynamodb';
import { type Model, useModels } from '../api/models';
import { decodeKey } from '../lib/key_template';
import { link, navigate, part } from '../lib/location';
import { useLoad } from '../lib/use_load';
import { Icon } from './icons';
import { useNav } from './shell';

interface Target {
  title: string;
  kind: string;
  icon: string;
  to: string;
}

// Letters in order, those at the beginnings of words first; -1 when it does not fit.
export function rank(text: string, wanted: string): number {
  const [hay, needle] = [text.toLowerCase(), wanted.toLowerCase().replaceAll(' ', '')];
  if (needle === '') return 0;
  const at = hay.indexOf(needle);
  if (at >= 0) return 100 - at - hay.length / 100;
  let from = 0;
  let score = 40;
  for (const letter of needle) {
    const next = hay.indexOf(letter, from);
    if (next < 0) return -1;
    score -= next - from;
    from = next + 1;
  }
  return Math.max(score, 0);
}

function useTargets(): Target[] {
  const groups = useNav();
  const models = useModels();
  const tables = useLoad('tables', listTables);
  return useMemo(() => {
    const targets: Target[] = groups.flatMap(({ entries }) => entries.map(({ title, icon, path }) => ({ title, kind: 'page', icon, to: path })));
    for (const table of tables.data ?? []) {
      const name = table.TableName;
      targets.push({ title: name, kind: 'items', icon: 'items', to: `/items/${part(name)}` });
      targets.push({ title: name, kind: 'collections', icon: 'collections', to: `/collections/${part(name)}` });
      targets.push({ title: name, kind: 'stream tail', icon: 'stream', to: `/stream/${part(name)}` });
      targets.push({ title: name, kind: 'table', icon: 'table', to: `/tables/${part(name)}` });
    }
    for (const model of models) {
      targets.push({ title: model.title, kind: 'model', icon: 'model', to: `/model/${part(model.name)}` });
      for (const entity of model.entities) {
        targets.push({ title: entity.name, kind: `entity of ${model.name}`, icon: 'collections', to: link(`/collections/${part(model.table.name)}`, { only: entity.name }) });
      }
      for (const pattern of model.patterns) {
        targets.push({ title: `${pattern.name} ${pattern.id}`, kind: `pattern of ${model.name}`, icon: 'pattern', to: `/patterns/${part(model.name)}/${part(pattern.name)}` });
      }
    }
    return targets;
  }, [groups.length, models, tables.data]);
}

// A key that some entity's template makes: where its partition lies.
function byKey(text: string, models: readonly Model[]): Target[] {
  const key = text.trim();
  if (key.length < 3) return [];
  return models.flatMap((model) => {
    const hash = model.table.key[0]?.name ?? '';
    const fits = model.entities.find(({ keys, builtIn }) => {
      const template = keys[hash]?.template;
      return !builtIn && template?.includes('{') && decodeKey(template, key)?.some(({ name }) => name === null);
    });
    return fits ? [{ title: key, kind: `items of ${model.table.name}`, icon: 'items', to: link(`/items/${part(model.table.name)}`, { mode: 'query', pk: key }) }] : [];
  });
}

export function Palette({ close }: { close: () => void }) {
  const targets = useTargets();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  const models = useModels();
  const found = useMemo(
    () => [
      ...byKey(text, models),
      ...targets
        .map((target) => ({ target, score: rank(`${target.title} ${target.kind}`, text) }))
        .filter(({ score }) => score >= 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 14)
        .map(({ target }) => target),
    ],
    [targets, text, models],
  );
  useEffect(() => {
    const dialog = box.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  useEffect(() => setAt(0), [text]);
  const go = (target: Target | undefined) => {
    if (!target) return;
    close();
    navigate(target.to);
  };
  return (
    <dialog ref={box} className="modal palette" aria-label="Find anything" onCancel={close} onClick={(event) => event.target === box.current && close()}>
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        aria-label="Find a page, table, entity, pattern or key"
        placeholder="Find a page, table, entity, pattern or key"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setAt((now) => (now + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(found.length, 1));
          } else if (event.key === 'Enter') go(found[at]);
        }}
        autoFocus
      />
      <ul id={id} role="listbox" aria-label="Found">
        {found.map((target, row) => (
          <li key={`${target.to}${target.kind}`} id={`${id}-${row}`} role="option" aria-selected={row === at} onClick={() => go(target)} onMouseMove={() => setAt(row)}>
            <Icon name={target.icon} />
            <span className="grow clip">{target.title}</span>
            <span className="quiet small">{target.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="empty">Nothing has a name like that.</p>}
    </dialog>
  );
}
