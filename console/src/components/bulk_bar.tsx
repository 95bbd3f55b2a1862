// What can be done with the items that are selected, or with all that are shown.

import { useState } from 'react';
import { ApiError } from '../api/client';
import { type TableDescription, dynamodb, indexesOf, keyNames } from '../api/dynamodb';
import { useSession } from '../api/session';
import { type Item, itemBytes, itemToPlain, valueOf } from '../lib/attribute';
import { type ExportForm, download, exportText, kExportForms, stamp } from '../lib/export';
import { deleteRequest } from '../lib/expression';
import { bytes, count, plural } from '../lib/format';
import { indexEntryOf, unitsToWrite } from '../lib/related';
import { Snippets, copy } from './code';
import { Button } from './controls';
import { ErrorNotice, toast } from './feedback';
import { Stats } from './layout';
import { Overlay } from './overlay';

const kAtOnce = 8;

interface Outcome {
  deleted: number;
  kept: Item[]; // changed in between
  error: Error | null;
  running: boolean;
}

function BulkDelete({ table, items, close, changed }: { table: TableDescription; items: Item[]; close: () => void; changed: () => void }) {
  const { session } = useSession();
  const keys = keyNames(table.KeySchema);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const first = deleteRequest(table.TableName, keys, items[0]!);
  const run = async () => {
    const now: Outcome = { deleted: 0, kept: [], error: null, running: true };
    const waiting = [...items];
    const show = () => setOutcome({ ...now });
    show();
    const worker = async () => {
      for (let item = waiting.shift(); item && !now.error; item = waiting.shift()) {
        try {
          await dynamodb('DeleteItem', deleteRequest(table.TableName, keys, item).request);
          now.deleted += 1;
        } catch (error) {
          if (error instanceof ApiError && error.code === 'ConditionalCheckFailedException') now.kept.push(item);
          else now.error ??= error as Error;
        }
        show();
      }
    };
    await Promise.all(Array.from({ length: kAtOnce }, worker));
    now.running = false;
    show();
    if (now.deleted > 0) changed();
    if (!now.error && now.kept.length === 0) {
      toast(`${plural(now.deleted, 'item')} deleted`);
      close();
    }
  };
  return (
    <Overlay
      kind="modal wide"
      title={`Delete ${plural(items.length, 'item')}`}
      close={close}
      foot={
        <>
          <Button onClick={close}>{outcome && !outcome.running ? 'Close' : 'Cancel'}</Button>
          {!outcome && (
            <Button kind="danger primary" onClick={() => void run()}>
              Delete {plural(items.length, 'item')}
            </Button>
          )}
        </>
      }
    >
      {outcome ? (
        <>
          <progress value={outcome.deleted + outcome.kept.length} max={items.length} aria-label="Items deleted" />
          <Stats
            figures={[
              { title: 'Deleted', value: count(outcome.deleted) },
              { title: 'Changed in between, kept', value: count(outcome.kept.length) },
              { title: 'Left', value: count(items.length - outcome.deleted - outcome.kept.length) },
            ]}
          />
          {outcome.kept.length > 0 && (
            <ul className="small mono">
              {outcome.kept.slice(0, 20).map((item, at) => (
                <li key={at}>{keys.map((name) => valueOf(item[name])).join(' / ')}</li>
              ))}
            </ul>
          )}
          {outcome.error && <ErrorNotice error={outcome.error} />}
        </>
      ) : (
        <>
          <p>One request for each item. It is deleted if it is still what you saw; one that somebody changed in between stays.</p>
          {session.readOnly && <div className="notice warn">This session only reads. Switch it at the top to change data.</div>}
          <Snippets operation={first.operation} request={first.request} />
          {items.length > 1 && <p className="small quiet">And {plural(items.length - 1, 'more request')} of this form.</p>}
        </>
      )}
    </Overlay>
  );
}

interface BulkBarProps {
  table: TableDescription;
  items: readonly Item[]; // all that are shown
  selected: Item[];
  clear: () => void;
  changed: () => void;
}

export function BulkBar({ table, items, selected, clear, changed }: BulkBarProps) {
  const [form, setForm] = useState<ExportForm>('jsonl');
  const [deleting, setDeleting] = useState<Item[] | null>(null);
  const keys = keyNames(table.KeySchema);
  const chosen = selected.length > 0 ? selected : items;
  const size = chosen.reduce((sum, item) => sum + itemBytes(item), 0);
  const save = () => {
    const { ending, type } = kExportForms.find(({ value }) => value === form)!;
    download(`${table.TableName}-${stamp(Date.now())}.${ending}`, exportText(form, chosen, keys), type);
    toast(`${plural(chosen.length, 'item')} exported`);
  };
  const units = selected.reduce((sum, item) => sum + unitsToWrite(itemBytes(item), indexesOf(table).map((index) => indexEntryOf(item, keys, index))), 0);
  return (
    <div className={selected.length > 0 ? 'bulk-bar active' : 'bulk-bar'} role="group" aria-label="Selected items">
      <span className="small grow" role="status">
        {selected.length > 0 ? (
          <>
            <b>{count(selected.length)} selected</b> · {bytes(size)} · {count(units)} WCU to delete
          </>
        ) : (
          <span className="quiet">{plural(items.length, 'item')} · {bytes(size)}. Select some, or export all that are shown.</span>
        )}
      </span>
      <select aria-label="Form of the export" value={form} onChange={(event) => setForm(event.currentTarget.value as ExportForm)}>
        {kExportForms.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      <Button size="small" icon="download" onClick={save}>
        Export
      </Button>
      <Button size="small" icon="copy" onClick={() => void copy(JSON.stringify(chosen.map((item) => (form === 'dynamodb' ? item : itemToPlain(item))), null, 2))}>
        Copy as JSON
      </Button>
      {selected.length > 0 && (
        <>
          <Button size="small" kind="danger" icon="trash" onClick={() => setDeleting(selected)}>
            Delete…
          </Button>
          <Button size="small" kind="plain" onClick={clear}>
            Select none
          </Button>
        </>
      )}
      {deleting && (
        <BulkDelete
          table={table}
          items={deleting}
          close={() => setDeleting(null)}
          changed={() => {
            clear();
            changed();
          }}
        />
      )}
    </div>
  );
}
