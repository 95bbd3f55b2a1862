// Making and changing a table: a form, then the exact requests, then their sending one after the other.

import { useState } from 'react';
import { describeTable, dynamodb } from '../api/dynamodb';
import { useSession } from '../api/session';
import { type IndexDraft, type KeyDraft, type TableCall, type TableDraft, changeCalls, createCalls, isReady, kStreamViews, newIndex, newTable, problemsOf } from '../lib/table_draft';
import { Snippets } from './code';
import { ActionButton, Button, Field, Select, Switch, Text } from './controls';
import { ErrorNotice, toast } from './feedback';
import { Badge } from './layout';
import { Overlay } from './overlay';

const kTypes = [
  { value: 'S', title: 'text' },
  { value: 'N', title: 'number' },
  { value: 'B', title: 'binary' },
];
const kProjections = [
  { value: 'ALL', title: 'whole items' },
  { value: 'KEYS_ONLY', title: 'keys' },
  { value: 'INCLUDE', title: 'keys and…' },
];
const kPollMs = 300;
const kMostPolls = 2000;

function KeyField({ label, value, change, optional = false }: { label: string; value: KeyDraft; change: (key: KeyDraft) => void; optional?: boolean }) {
  return (
    <div className="key-field">
      <Field label={label} optional={optional}>
        <Text mono value={value.name} change={(name) => change({ ...value, name })} />
      </Field>
      <Select aria-label={`Type of ${label}`} value={value.type} change={(type) => change({ ...value, type })} options={kTypes} />
    </div>
  );
}

function IndexFields({ index, number, change, remove }: { index: IndexDraft; number: number; change: (index: IndexDraft) => void; remove: () => void }) {
  if (index.exists) {
    return (
      <li className="index-line">
        <code className="grow">
          {index.name} ({[index.hash.name, index.sort.name].filter(Boolean).join(', ')})
        </code>
        <Button size="small" kind="danger" icon="trash" aria-label={`Drop ${index.name}`} onClick={remove}>
          Drop
        </Button>
      </li>
    );
  }
  return (
    <li>
      <fieldset className="index-fields">
        <legend className="sr">Index {number}</legend>
        <Field label="Index name">
          <Text mono placeholder="GSI1" value={index.name} change={(name) => change({ ...index, name })} />
        </Field>
        <KeyField label="Partition key" value={index.hash} change={(hash) => change({ ...index, hash })} />
        <KeyField label="Sort key" optional value={index.sort} change={(sort) => change({ ...index, sort })} />
        <Field label="It holds">
          <Select value={index.projection} change={(projection) => change({ ...index, projection: projection as IndexDraft['projection'] })} options={kProjections} />
        </Field>
        {index.projection === 'INCLUDE' && (
          <Field label="Attributes, with commas">
            <Text mono value={index.include} change={(include) => change({ ...index, include })} />
          </Field>
        )}
        <div className="row end">
          <Button size="small" icon="trash" aria-label={`Remove index ${number}`} onClick={remove}>
            Remove
          </Button>
        </div>
      </fieldset>
    </li>
  );
}

function DraftFields({ draft, change, isNew }: { draft: TableDraft; change: (draft: TableDraft) => void; isNew: boolean }) {
  const set = (part: Partial<TableDraft>) => change({ ...draft, ...part });
  const setIndex = (at: number, index: IndexDraft | null) => set({ indexes: draft.indexes.flatMap((entry, place) => (place !== at ? [entry] : index ? [index] : [])) });
  return (
    <>
      {isNew && (
        <div className="table-fields">
          <Field label="Name">
            <Text mono placeholder="my-table" value={draft.name} change={(name) => set({ name })} />
          </Field>
          <KeyField label="Partition key" value={draft.hash} change={(hash) => set({ hash })} />
          <KeyField label="Sort key" optional value={draft.sort} change={(sort) => set({ sort })} />
        </div>
      )}
      <section className="stack tight">
        <div className="row spread">
          <h3>Global indexes</h3>
          <Button size="small" icon="plus" onClick={() => set({ indexes: [...draft.indexes, newIndex()] })}>
            Index
          </Button>
        </div>
        <ol className="stack tight">
          {draft.indexes.map((index, at) => (
            <IndexFields key={at} index={index} number={at + 1} change={(next) => setIndex(at, next)} remove={() => setIndex(at, null)} />
          ))}
        </ol>
        {draft.indexes.length === 0 && <p className="small quiet">None. An index is another order of the same items.</p>}
      </section>
      <div className="table-fields">
        <Field label="Expiry attribute" hint="the second an item expires" optional>
          <Text mono placeholder="ttl" value={draft.ttl} change={(ttl) => set({ ttl: ttl.trim() })} />
        </Field>
        <Field label="Stream of changes">
          <Select value={draft.stream} change={(stream) => set({ stream })} options={kStreamViews} />
        </Field>
        <Switch on={draft.isProtected} change={(isProtected) => set({ isProtected })} label="protected from deletion" />
      </div>
    </>
  );
}

async function waitUntilReady(name: string) {
  for (let polls = 0; polls < kMostPolls; polls++) {
    if (isReady(await describeTable(name))) return;
    await new Promise((resolve) => setTimeout(resolve, kPollMs));
  }
}

function ReviewCalls({ calls, table, back, done }: { calls: TableCall[]; table: string; back: () => void; done: () => void }) {
  const { session } = useSession();
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<Error | null>(null);
  const send = async () => {
    setError(null);
    try {
      for (let at = sent; at < calls.length; at++) {
        await dynamodb(calls[at]!.operation, calls[at]!.request);
        await waitUntilReady(table);
        setSent(at + 1);
      }
      toast(calls[0]!.operation === 'CreateTable' ? `${table} is there` : `${table} is changed`);
      done();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <>
      <p>{calls.length === 1 ? 'This request is sent.' : `These ${calls.length} requests are sent one after the other: each waits until the table is ready for the next.`}</p>
      <ol className="stack">
        {calls.map(({ operation, request, what }, at) => (
          <li key={at} className="stack tight">
            <h3 className="row">
              {calls.length > 1 && `${at + 1}. `}
              {operation}: {what} {at < sent && <Badge kind="good">done</Badge>}
            </h3>
            <Snippets operation={operation} request={request} />
          </li>
        ))}
      </ol>
      {session.readOnly && <div className="notice warn">This session only reads. Switch it at the top to change data.</div>}
      {error && <ErrorNotice error={error} />}
      <div className="row end">
        <Button onClick={back} disabled={sent > 0}>
          Back
        </Button>
        <ActionButton kind="primary" action={send}>
          {sent > 0 ? 'Go on' : calls[0]!.operation === 'CreateTable' ? 'Create the table' : 'Change the table'}
        </ActionButton>
      </div>
    </>
  );
}

// `before` null makes a new table.
export function TableForm({ before, close, done }: { before: TableDraft | null; close: () => void; done: (name: string) => void }) {
  const [draft, setDraft] = useState<TableDraft>(before ?? newTable());
  const [calls, setCalls] = useState<TableCall[] | null>(null);
  const [tried, setTried] = useState(false);
  const problems = problemsOf(draft);
  const review = () => {
    setTried(true);
    const next = before ? changeCalls(before, draft) : createCalls(draft);
    if (problems.length === 0 && next.length > 0) setCalls(next);
  };
  const same = before !== null && changeCalls(before, draft).length === 0;
  return (
    <Overlay kind="drawer" title={before ? `Change ${before.name}` : 'New table'} close={close}>
      {calls ? (
        <ReviewCalls calls={calls} table={draft.name} back={() => setCalls(null)} done={() => (done(draft.name), close())} />
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            review();
          }}
        >
          <DraftFields draft={draft} change={setDraft} isNew={before === null} />
          {tried && (problems.length > 0 || same) && (
            <div className="notice bad" role="alert">
              <ul>
                {(same ? ['Nothing is different yet'] : problems).map((problem) => (
                  <li key={problem}>{problem}.</li>
                ))}
              </ul>
            </div>
          )}
          <div className="row end">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" type="submit">
              Review
            </Button>
          </div>
        </form>
      )}
    </Overlay>
  );
}

export function DeleteTable({ table, isProtected, items, close, done }: { table: string; isProtected: boolean; items: number; close: () => void; done: () => void }) {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const request = { TableName: table };
  const remove = async () => {
    setError(null);
    try {
      await dynamodb('DeleteTable', request);
      toast(`${table} is deleted`);
      done();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Overlay
      title={`Delete ${table}`}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <ActionButton kind="danger primary" action={remove} disabled={typed !== table || isProtected}>
            Delete the table
          </ActionButton>
        </>
      }
    >
      {isProtected ? (
        <div className="notice warn">The table is protected from deletion. Change that first.</div>
      ) : (
        <>
          <p>
            {items > 0 ? `Its ${items.toLocaleString('en')} items and all its indexes` : 'The table and its indexes'} are gone for good. A backup made before brings them back.
          </p>
          <Field label="Type the name of the table">
            <Text mono value={typed} change={setTyped} />
          </Field>
        </>
      )}
      <Snippets operation="DeleteTable" request={request} />
      {error && <ErrorNotice error={error} />}
    </Overlay>
  );
}
