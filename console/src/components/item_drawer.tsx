// One item: its keys taken apart, its JSON in both forms, an edit that is reviewed as the exact request before it is sent.

import { useState } from 'react';
import { Link } from 'wouter';
import { type IndexDescription, type TableDescription, dynamodb, indexesOf, keyNames } from '../api/dynamodb';
import type { Entity, Model } from '../api/models';
import { useSession } from '../api/session';
import { type Item, itemBytes, itemToPlain, parseItem, parsePlain, readUnits, valueOf, writeUnits } from '../lib/attribute';
import { type Written, changesOf, deleteRequest, keyOf, putRequest, updateRequest } from '../lib/expression';
import { ago, bytes, units } from '../lib/format';
import { entityOf, missingKeys } from '../lib/key_template';
import { link, part } from '../lib/location';
import { type IndexEntry, indexEntryOf, unitsToWrite } from '../lib/related';
import { useLoad } from '../lib/use_load';
import { Changes } from './changes';
import { Code, Snippets } from './code';
import { ActionButton, Button, Segmented } from './controls';
import { EntityBadge, KeyText, PartLegend, partNames } from './entity';
import { ErrorNotice, Loaded, toast } from './feedback';
import { Facts } from './layout';
import { Overlay } from './overlay';
import { RelatedItems } from './related_items';

type Form = 'plain' | 'dynamodb';
const kForms: { value: Form; title: string }[] = [
  { value: 'plain', title: 'Plain JSON' },
  { value: 'dynamodb', title: 'DynamoDB JSON' },
];
const textOf = (item: Item, form: Form) => JSON.stringify(form === 'plain' ? itemToPlain(item) : item, null, 2);
const parse = (text: string, form: Form) => (form === 'plain' ? parsePlain(text) : parseItem(text));

function IndexHolds({ entry }: { entry: IndexEntry }) {
  return (
    <span className="small quiet">
      {entry.left.length === 0 ? 'the whole item' : `without ${entry.left.slice(0, 6).join(', ')}${entry.left.length > 6 ? ` and ${entry.left.length - 6} more` : ''}`} · {bytes(entry.bytes)}
    </span>
  );
}

function Keys({ item, table, entity, model }: { item: Item; table: TableDescription; entity: Entity | null; model: Model | undefined }) {
  const key = keyNames(table.KeySchema);
  const names = partNames(item, entity);
  const isIn = (index: IndexDescription) => index.KeySchema.every(({ AttributeName }) => item[AttributeName]);
  const held = indexesOf(table).filter(isIn);
  const absent = indexesOf(table).filter((index) => !isIn(index));
  return (
    <section className="stack tight">
      <h3>Where it lies</h3>
      <table className="where">
        <tbody>
          <tr>
            <th scope="row">table</th>
            <td>
              {key.map((name) => (
                <div key={name} title={entity?.keys[name]?.template}>
                  <KeyText value={item[name]} entity={entity} attribute={name} names={names} />
                </div>
              ))}
            </td>
          </tr>
          {held.map((index) => (
            <tr key={index.IndexName}>
              <th scope="row">
                <Link href={link(`/collections/${part(table.TableName)}`, { index: index.IndexName })}>{index.IndexName}</Link>
              </th>
              <td>
                {keyNames(index.KeySchema).map((name) => (
                  <div key={name} title={entity?.keys[name]?.template}>
                    <KeyText value={item[name]} entity={entity} attribute={name} names={names} />
                  </div>
                ))}
                <IndexHolds entry={indexEntryOf(item, key, index)} />
              </td>
            </tr>
          ))}
          {absent.length > 0 && (
            <tr>
              <th scope="row">not in</th>
              <td className="small quiet">
                {absent.map((index) => {
                  const missing = missingKeys(item, { key: keyNames(index.KeySchema).map((name) => ({ name })) });
                  const when = model && entity?.keys[missing[0]!]?.when;
                  return (
                    <div key={index.IndexName}>
                      {index.IndexName}: {missing.join(', ')} absent{when ? ` (only when ${when})` : ''}
                    </div>
                  );
                })}
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <PartLegend names={names} />
    </section>
  );
}

function Review({ written, changes, back, send }: { written: Written; changes: ReturnType<typeof changesOf>; back: () => void; send: () => Promise<void> }) {
  const { session } = useSession();
  return (
    <>
      <p>
        {written.operation === 'DeleteItem'
          ? 'The item is deleted if it is still what you saw.'
          : written.operation === 'PutItem'
            ? 'The item is written if there is none with its key.'
            : 'Only what changed is sent, and only if it is still what you saw.'}
      </p>
      <Changes changes={changes} />
      <Snippets operation={written.operation} request={written.request} />
      {session.readOnly && <div className="notice warn">This session only reads. Switch it at the top to change data.</div>}
      <div className="row end">
        <Button onClick={back}>Back</Button>
        <ActionButton kind={written.operation === 'DeleteItem' ? 'danger primary' : 'primary'} action={send}>
          {written.operation === 'DeleteItem' ? 'Delete the item' : 'Save'}
        </ActionButton>
      </div>
    </>
  );
}

interface ItemDrawerProps {
  table: TableDescription;
  model: Model | undefined;
  item: Item | null; // null makes a new one
  close: () => void;
  changed: () => void;
  open?: (item: Item) => void; // another item instead of this one
}

function Editor({ table, item, back, close, changed }: Omit<ItemDrawerProps, 'model' | 'open'> & { back: () => void }) {
  const keys = keyNames(table.KeySchema);
  const [form, setForm] = useState<Form>('plain');
  const [text, setText] = useState(() => textOf(item ?? Object.fromEntries(keys.map((name) => [name, { S: '' }])), 'plain'));
  const [error, setError] = useState<Error | null>(null);
  const [review, setReview] = useState<{ written: Written; after: Item } | null>(null);

  const change = (next: Form) => {
    try {
      setText(textOf(parse(text, form), next));
      setForm(next);
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const toReview = () => {
    try {
      const after = parse(text, form);
      if (item && changesOf(item, after).length === 0) throw new Error('Nothing is different yet.');
      setReview({ written: item ? updateRequest(table.TableName, keys, item, after) : putRequest(table.TableName, keys, after), after });
      setError(null);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const send = async () => {
    try {
      await dynamodb(review!.written.operation, review!.written.request);
      toast(item ? 'Saved' : 'Created');
      changed();
      close();
    } catch (failure) {
      setError(failure as Error);
      setReview(null);
    }
  };

  if (review) return <Review written={review.written} changes={item ? changesOf(item, review.after) : []} back={() => setReview(null)} send={send} />;
  return (
    <>
      <Segmented label="Form" value={form} change={change} options={kForms} />
      <textarea className="mono item-text" aria-label="Item as JSON" spellCheck={false} rows={22} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      {form === 'plain' && (
        <p className="small quiet">
          Sets are <code>{'{"$ss": [..]}'}</code>, binary <code>{'{"$b": ".."}'}</code>, numbers keep every digit.
        </p>
      )}
      {error && <ErrorNotice error={error} />}
      <div className="row end">
        <Button onClick={item ? back : close}>Cancel</Button>
        <Button kind="primary" onClick={toReview}>
          Review
        </Button>
      </div>
    </>
  );
}

export function ItemDrawer({ table, model, item, close, changed, open }: ItemDrawerProps) {
  const keys = keyNames(table.KeySchema);
  const key = item ? keyOf(item, keys) : null;
  // An index may hold a part of the item; the drawer shows the whole.
  const load = useLoad(key ? `item ${table.TableName} ${JSON.stringify(key)}` : null, async (signal) => {
    const reply = await dynamodb<{ Item?: Item }>('GetItem', { TableName: table.TableName, Key: key, ConsistentRead: true }, signal);
    return reply.Item ?? null;
  });
  const [mode, setMode] = useState<'show' | 'edit' | 'delete'>(item ? 'show' : 'edit');
  const [form, setForm] = useState<Form>('plain');
  const [error, setError] = useState<Error | null>(null);
  const entity = item && model ? entityOf(item, model) : null;
  const title = item ? (
    <>
      {model && <EntityBadge model={model} name={entity?.name} />}
      <span className="mono clip grow">{keys.map((name) => valueOf(item[name])).join(' / ')}</span>
    </>
  ) : (
    'New item'
  );

  return (
    <Overlay kind="drawer" title={title} close={close}>
      {!item ? (
        <Editor table={table} item={null} back={close} close={close} changed={changed} />
      ) : (
        <Loaded load={load}>
          {(whole) => {
            if (whole === null) return <div className="notice warn">There is no item with this key any more.</div>;
            const size = itemBytes(whole);
            const entries = indexesOf(table).map((index) => indexEntryOf(whole, keys, index));
            const held = entries.filter(({ missing }) => missing.length === 0);
            const ttlName = model?.table.ttl;
            const ttl = ttlName ? Number(valueOf(whole[ttlName])) : Number.NaN;
            if (mode === 'edit') return <Editor table={table} item={whole} back={() => setMode('show')} close={close} changed={() => (load.reload(), changed())} />;
            if (mode === 'delete') {
              const written = deleteRequest(table.TableName, keys, whole);
              const send = async () => {
                try {
                  await dynamodb('DeleteItem', written.request);
                  toast('Deleted');
                  changed();
                  close();
                } catch (failure) {
                  setError(failure as Error);
                  setMode('show');
                }
              };
              return <Review written={written} changes={[]} back={() => setMode('show')} send={send} />;
            }
            return (
              <>
                {error && <ErrorNotice error={error} retry={() => (setError(null), load.reload())} />}
                <Facts
                  facts={[
                    ['Size', `${bytes(size)} · ${units(readUnits(size))} RCU to read`],
                    ['To write', `${unitsToWrite(size, entries)} WCU${held.length > 0 ? `: ${writeUnits(size)} for the table, ${held.map((entry) => `${writeUnits(entry.bytes)} for ${entry.index}`).join(', ')}` : ''}`],
                    ...(Number.isFinite(ttl) ? ([['Expires', ago(ttl * 1000)]] as [string, string][]) : []),
                  ]}
                />
                <Keys item={whole} table={table} entity={entity} model={model} />
                <section className="stack tight">
                  <div className="row spread">
                    <Segmented label="Form" value={form} change={setForm} options={kForms} />
                    <span className="row">
                      <Button icon="edit" size="small" onClick={() => setMode('edit')}>
                        Edit
                      </Button>
                      <Button icon="trash" size="small" kind="danger" onClick={() => setMode('delete')}>
                        Delete
                      </Button>
                    </span>
                  </div>
                  <Code text={textOf(whole, form)} label="item" wrap />
                </section>
                {open && <RelatedItems table={table} model={model} item={whole} open={open} />}
                {table.StreamSpecification?.StreamEnabled && (
                  <p>
                    <Link href={link(`/stream/${part(table.TableName)}`, { key: String(valueOf(whole[keys[0]!])), from: 'horizon' })}>What changed in its partition lately</Link>
                  </p>
                )}
                <details>
                  <summary>Read this item from code</summary>
                  <Snippets operation="GetItem" request={{ TableName: table.TableName, Key: key }} />
                </details>
              </>
            );
          }}
        </Loaded>
      )}
    </Overlay>
  );
}
