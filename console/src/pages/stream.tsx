// The changes of a table as they happen: newest first, what was and what is, with a pause that loses nothing.

import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/client';
import { type TableDescription, dynamodb, keyNames, listTables } from '../api/dynamodb';
import { type Model, useModelOfTable } from '../api/models';
import { useSession } from '../api/session';
import { type TailFilter, followTail } from '../api/tail';
import { Sparkline } from '../components/chart';
import { Changes } from '../components/changes';
import { CopyButton, Snippets } from '../components/code';
import { ActionButton, Button, Segmented, Select, Text } from '../components/controls';
import { EntityBadge } from '../components/entity';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Stats } from '../components/layout';
import { valueOf } from '../lib/attribute';
import { changesOf } from '../lib/expression';
import { clock, count, moment } from '../lib/format';
import { entityOf } from '../lib/key_template';
import { link, navigate, part, useQuery } from '../lib/location';
import { Tail, type TailRecord, changeText, keyText, kRingSize, kStreamOperations } from '../lib/tail';
import { useLoad } from '../lib/use_load';
import { moveBetweenRows, useWindow } from '../lib/use_window';
import '../styles/operate.css';

const kRowHeight = 34;
const kRedrawMs = 100;
const kSeconds = 60;
const kOperationKinds = { INSERT: 'good', MODIFY: 'accent', REMOVE: 'bad' } as const;
const kOperationNames = { INSERT: 'insert', MODIFY: 'modify', REMOVE: 'remove' } as const;

// A tail of what `filter` names; another filter is another tail.
function useTail(filter: TailFilter) {
  const key = JSON.stringify(filter);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const tail = useMemo(() => new Tail(), [key]);
  // Of which tail it is said, too: another one is not live because the last one was.
  const [connection, setConnection] = useState<{ of: Tail; state: 'live' | 'connecting' }>({ of: tail, state: 'connecting' });
  const state = connection.of === tail ? connection.state : 'connecting';
  const [error, setError] = useState<Error | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Many records in a moment are one redraw.
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        redraw();
      }, kRedrawMs);
    };
    setError(null);
    const handlers = {
      record: (record: TailRecord) => tail.add(record, Date.now()) && later(),
      gap: () => (tail.addGap(), later()),
      state: (state: 'live' | 'connecting') => setConnection({ of: tail, state }),
      lastSequence: () => tail.lastSequence,
    };
    followTail(filter, handlers, abort.signal).catch((failure: unknown) => !abort.signal.aborted && setError(failure as Error));
    const meter = setInterval(redraw, 1000);
    return () => {
      abort.abort();
      clearTimeout(timer);
      clearInterval(meter);
    };
  }, [tail, round]);
  const act = useCallback((work: () => void) => (work(), redraw()), []);
  return { tail, state, error, act, retry: () => setRound((n) => n + 1) };
}

// The server names the entity of what a model describes; what it keeps for itself is told by its key.
const entityName = (record: TailRecord, model: Model) => record.entity ?? entityOf({ ...(record.new ?? record.old), ...record.keys }, model)?.name;

function EnableStream({ table, done }: { table: TableDescription; done: () => void }) {
  const { session } = useSession();
  const request = { TableName: table.TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } };
  const enable = async () => {
    try {
      await dynamodb('UpdateTable', request);
      toast(`The stream of ${table.TableName} is on`);
      done();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Card title={`${table.TableName} has no stream`}>
      <p>A table with a stream keeps each change for a day, with the item before and after it. Nothing that happened before is in it.</p>
      <Snippets operation="UpdateTable" request={request} />
      {session.readOnly && <div className="notice warn">This session only reads. Switch it at the top to change data.</div>}
      <div className="row end">
        <ActionButton kind="primary" action={enable}>
          Enable the stream
        </ActionButton>
      </div>
    </Card>
  );
}

function Detail({ record, table, model, close }: { record: TailRecord; table: TableDescription; model: Model | undefined; close: () => void }) {
  const changes = changesOf(record.old ?? {}, record.new ?? {});
  const [hash, sort] = keyNames(table.KeySchema);
  const same = Object.keys(record.new ?? {}).length - changes.filter(({ after }) => after).length;
  const textOf = (name: string | undefined) => (name && record.keys[name] ? String(valueOf(record.keys[name])) : null);
  return (
    <Card
      className="stream-detail"
      title={
        <span className="row">
          <Badge kind={kOperationKinds[record.operation]}>{kOperationNames[record.operation]}</Badge>
          {model && <EntityBadge model={model} name={entityName(record, model)} />}
        </span>
      }
      actions={
        <>
          <CopyButton text={JSON.stringify(record, null, 2)} label="Copy the record" />
          <Button kind="plain" size="small" icon="close" aria-label="Close the record" onClick={close} />
        </>
      }
    >
      <Facts
        facts={[
          ...Object.entries(record.keys).map(([name, value]): [string, React.ReactNode] => [name, <code>{String(valueOf(value))}</code>]),
          ['When', moment(record.at)],
          ['Sequence', <code>{record.sequence}</code>],
          ...(record.expired ? ([['Why', 'its time to live ended']] as [string, string][]) : []),
        ]}
      />
      <Changes changes={changes.filter(({ name }) => !record.keys[name])} />
      {record.operation === 'MODIFY' && <p className="small quiet">{count(Math.max(0, same))} attributes stayed as they were.</p>}
      {!record.old && !record.new && <p className="small quiet">The stream of this table holds keys only.</p>}
      <div className="row">
        <Link className="button small" href={link(`/items/${part(record.table)}`, { mode: 'query', pk: textOf(hash), sk: textOf(sort) })}>
          The item
        </Link>
        <Link className="button small" href={link(`/stream/${part(record.table)}`, { key: textOf(hash), from: 'horizon' })}>
          Its history
        </Link>
      </div>
    </Card>
  );
}

function Records({ tail, model, selected, select }: { tail: Tail; model: Model | undefined; selected: string | null; select: (sequence: string) => void }) {
  const rows = tail.rows;
  const { box, first, last, above, below } = useWindow(rows.length, kRowHeight);
  const before = useRef(rows.length);
  // Who scrolled down keeps what they read, while new records come on top.
  useLayoutEffect(() => {
    const added = rows.length - before.current;
    before.current = rows.length;
    if (box.current && box.current.scrollTop > 0 && added > 0) box.current.scrollTop += added * kRowHeight;
  });
  const pad = (height: number) =>
    height > 0 && (
      <tr className="pad" aria-hidden="true">
        <td colSpan={5} style={{ height: `${height}px` }} />
      </tr>
    );
  const drawn = Array.from({ length: Math.max(0, last - first) }, (_, at) => rows[rows.length - 1 - first - at]!);
  return (
    <div className="scroll grid-table stream-rows" ref={box} role="region" aria-label="Records" tabIndex={0}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Change</th>
            {model && <th scope="col">Entity</th>}
            <th scope="col">Key</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {pad(above)}
          {drawn.map(({ id, record }) =>
            record ? (
              <tr key={id} className="clickable" aria-selected={id === selected} onClick={() => select(id)}>
                <td className="mono">{clock(record.at)}</td>
                <td>
                  <Badge kind={kOperationKinds[record.operation]}>{kOperationNames[record.operation]}</Badge>
                </td>
                {model && (
                  <td>
                    <EntityBadge model={model} name={entityName(record, model)} />
                  </td>
                )}
                <td className="key">
                  <button type="button" className="cell-button" onKeyDown={moveBetweenRows} onClick={(event) => (event.stopPropagation(), select(id))}>
                    {keyText(record.keys)}
                  </button>
                </td>
                <td className="what">{changeText(record)}</td>
              </tr>
            ) : (
              <tr key={id} className="gap">
                <td colSpan={model ? 5 : 4}>Records were skipped here: they are no longer kept.</td>
              </tr>
            ),
          )}
          {pad(below)}
        </tbody>
      </table>
    </div>
  );
}

function Follow({ table, turnedOff }: { table: TableDescription; turnedOff: () => void }) {
  const [query, change] = useQuery();
  const model = useModelOfTable(table.TableName);
  const [key, setKey] = useState(query.key ?? '');
  const [from, setFrom] = useState(query.from ?? '');
  const [selected, setSelected] = useState<string | null>(null);
  useEffect(() => setKey(query.key ?? ''), [query.key]);
  useEffect(() => setFrom(query.from ?? ''), [query.from]);
  const operation = kStreamOperations.find((name) => name === query.operation) ?? '';
  const { tail, state, error, act, retry } = useTail({ table: table.TableName, entity: query.entity ?? '', operation, key: query.key ?? '', from: query.from || 'latest' });
  useEffect(() => {
    if (error instanceof ApiError && error.code === 'StreamDisabled') turnedOff();
  }, [error]);
  const now = Date.now();
  const record = tail.rows.find(({ id }) => id === selected)?.record;
  const goOn = () => act(() => (tail.isPaused ? tail.resume() : tail.pause()));
  const keys = useRef(goOn);
  keys.current = goOn;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'p' || event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).closest?.('input, textarea, select') || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      keys.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <form
        className="stream-bar"
        onSubmit={(event) => {
          event.preventDefault();
          change({ key: key.trim(), from: from.trim() });
        }}
      >
        {model && (
          <Select
            aria-label="Entity"
            value={query.entity ?? ''}
            change={(entity) => change({ entity })}
            options={[{ value: '', title: 'every entity' }, ...model.entities.map(({ name }) => name)]}
          />
        )}
        <Segmented
          label="Kind of change"
          value={operation}
          change={(value) => change({ operation: value })}
          options={[{ value: '', title: 'All' }, ...kStreamOperations.map((value) => ({ value, title: kOperationNames[value] }))]}
        />
        <Text type="search" aria-label="Part of a key" placeholder="part of a key" mono value={key} change={setKey} />
        <Text aria-label="From: latest, horizon or a sequence number" placeholder="from now" mono list="stream-starts" value={from} change={setFrom} />
        <datalist id="stream-starts">
          <option value="latest">from now</option>
          <option value="horizon">everything that is kept</option>
        </datalist>
        <Button type="submit">Apply</Button>
      </form>
      {error && <ErrorNotice error={error} retry={retry} />}
      <Stats
        figures={[
          { title: 'A second', value: tail.rate(now).toFixed(1), note: 'of the last ten' },
          { title: 'Came', value: count(tail.total), note: 'records' },
          { title: 'Kept', value: count(tail.rows.length), note: `of at most ${count(kRingSize)}` },
          { title: 'Each second of the last minute', value: <Sparkline values={tail.perSecond(now, kSeconds)} label="Records a second over the last minute" height={32} /> },
        ]}
      />
      <div className={record ? 'stream with-detail' : 'stream'}>
        <Card
          flush
          title={
            <span className="row" role="status">
              <Badge kind={error ? 'bad' : tail.isPaused ? 'warn' : state === 'live' ? 'good' : ''}>{error ? 'stopped' : tail.isPaused ? 'paused' : state === 'live' ? 'live' : 'connecting'}</Badge>
              {tail.isPaused && <span className="quiet">+{count(tail.waiting)} waiting</span>}
            </span>
          }
          actions={
            <>
              <Button size="small" icon={tail.isPaused ? 'play' : 'pause'} kind={tail.isPaused ? 'primary' : ''} onClick={goOn}>
                {tail.isPaused ? 'Go on' : 'Pause'} <kbd>P</kbd>
              </Button>
              <Button size="small" onClick={() => act(() => (tail.clear(), setSelected(null)))}>
                Clear
              </Button>
            </>
          }
        >
          {tail.rows.length === 0 ? (
            <Empty icon="stream" title={error ? 'The stream could not be read' : 'Nothing changed yet'}>
              <p>{error ? 'Try again above.' : 'Write something, here or with any SDK: it appears at once. With “horizon” the changes of the last day come first.'}</p>
            </Empty>
          ) : (
            <Records tail={tail} model={model} selected={selected} select={(id) => setSelected((before) => (before === id ? null : id))} />
          )}
        </Card>
        {record && <Detail record={record} table={table} model={model} close={() => setSelected(null)} />}
      </div>
    </>
  );
}

export function Stream({ params }: { params: { table?: string } }) {
  const tables = useLoad('tables', listTables);
  const withStream = tables.data?.find(({ StreamSpecification }) => StreamSpecification?.StreamEnabled);
  const name = params.table ? decodeURIComponent(params.table) : (withStream ?? tables.data?.[0])?.TableName;
  const table = tables.data?.find(({ TableName }) => TableName === name);
  return (
    <>
      <PageHead title="Stream tail" about="Changes of a table as they happen, newest first. Choose one to see what was and what is.">
        {tables.data && tables.data.length > 0 && (
          <Select
            aria-label="Table"
            value={name ?? ''}
            change={(next) => navigate(`/stream/${part(next)}`)}
            options={tables.data.map(({ TableName, StreamSpecification }) => ({ value: TableName, title: StreamSpecification?.StreamEnabled ? TableName : `${TableName} (no stream)` }))}
          />
        )}
      </PageHead>
      <Loaded load={tables}>
        {() =>
          !table ? (
            <Empty icon="table" title={name ? `There is no table ${name}` : 'No tables yet'} />
          ) : table.StreamSpecification?.StreamEnabled ? (
            <Follow key={table.TableName} table={table} turnedOff={tables.reload} />
          ) : (
            <EnableStream table={table} done={tables.reload} />
          )
        }
      </Loaded>
    </>
  );
}
