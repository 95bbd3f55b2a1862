// The signature page: how the items of a single table lie together, in the table and in every index.

import { useEffect, useMemo, useRef, useState } from 'react';
import { call, query as address } from '../api/client';
import { type PartitionPage, type TableDescription, dynamodb, indexesOf, keyNames, listTables } from '../api/dynamodb';
import { type Explained, type Model, explain, useModelOfTable } from '../api/models';
import { CollectionExport } from '../components/collection_export';
import { ActionButton, Button, Segmented, Select, Switch, Text } from '../components/controls';
import { EntityBadge, KeyText, PartLegend, partNames } from '../components/entity';
import { Empty, ErrorNotice, Loaded } from '../components/feedback';
import { HotKeysList, type HotKeysNow, useHotKeys } from '../components/hot_keys';
import { ItemDrawer } from '../components/item_drawer';
import { Card, Facts, PageHead } from '../components/layout';
import { PartitionRows, SparseItems } from '../components/partition_rows';
import { PatternForm, type Values, filledIn, isComplete } from '../components/pattern_form';
import { type Item, itemBytes, itemToPlain } from '../lib/attribute';
import { type Bracket, type Chip, type Health, type Partition, bracketOf, chipOf, entityCounts, healthOf, idOf, kPartitionLimit, readPartitions, sparseReason } from '../lib/collection';
import { keyOf } from '../lib/expression';
import { useFlip } from '../lib/flip';
import { bytes, count, plural, units } from '../lib/format';
import { keyValues, missingKeys } from '../lib/key_template';
import { navigate, part, useQuery } from '../lib/location';
import { type ReadRange, rangesOf } from '../lib/read_range';
import { useLoad } from '../lib/use_load';
import '../styles/collections.css';

function Legend({ model, counts, hidden, toggle, only }: { model: Model | undefined; counts: Map<string, number>; hidden: Set<string>; toggle: (name: string) => void; only: (name: string | null) => void }) {
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
  return (
    <Card title="Entities" actions={hidden.size > 0 && <Button size="small" kind="plain" onClick={() => only(null)}>Show all</Button>}>
      <ul className="entity-legend">
        {names.map((name) => (
          <li key={name}>
            <button type="button" aria-pressed={!hidden.has(name)} onClick={() => toggle(name)}>
              <EntityBadge model={model} name={name || null} />
            </button>
            <button type="button" className="only small" onClick={() => only(name)} aria-label={`Only ${name || 'items without entity'}`}>
              only
            </button>
            <span className="num small quiet">{count(counts.get(name)!)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface Overlay {
  explained: Explained;
  ranges: ReadRange[];
}

interface OverlayFormProps {
  model: Model;
  table: TableDescription;
  selected: Chip | null;
  overlay: Overlay | null;
  show: (overlay: Overlay | null) => void;
}

function OverlayForm({ model, table, selected, overlay, show }: OverlayFormProps) {
  const [query, change] = useQuery();
  const [error, setError] = useState<Error | null>(null);
  const pattern = model.patterns.find(({ name }) => name === query.pattern);
  const values: Values = Object.fromEntries((pattern?.params ?? []).map(({ name }) => [name, query[`p.${name}`] ?? '']));

  // What the selected item knows fills the form: click an item, choose a pattern, see what it reads.
  useEffect(() => {
    if (!pattern || !selected) return;
    const plain = itemToPlain(selected.item);
    const known: Record<string, unknown> = { ...(selected.entity ? keyValues(selected.item, selected.entity) : {}), ...plain };
    const changes: Record<string, string> = {};
    for (const { name, required } of pattern.params) {
      const value = known[name];
      if (required && !query[`p.${name}`] && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')) changes[`p.${name}`] = String(value);
    }
    if (Object.keys(changes).length > 0) change(changes);
  }, [pattern?.name, selected?.id]);

  const run = async () => {
    if (!pattern) return;
    setError(null);
    try {
      const explained = await explain(model.name, pattern.name, filledIn(values));
      const keys = keyNames(table.KeySchema);
      const ranges = explained.requests.flatMap(({ operation, request }) => rangesOf(operation, request, keys));
      change({ index: ranges[0]?.index ?? null });
      show({ explained, ranges });
    } catch (failure) {
      setError(failure as Error);
      show(null);
    }
  };
  // A shared address shows its bracket at once.
  useEffect(() => {
    if (pattern && isComplete(pattern, values) && !overlay) void run();
  }, [pattern?.name]);

  const total = overlay ? (overlay.explained.capacity ?? overlay.explained.requests.reduce((sum, { capacity }) => sum + (capacity ?? 0), 0)) : 0;
  return (
    <Card title="Access pattern">
      <Select
        aria-label="Access pattern"
        value={query.pattern ?? ''}
        change={(name) => {
          show(null);
          setError(null);
          change({ pattern: name });
        }}
        options={[{ value: '', title: 'none' }, ...model.patterns.map(({ name, id }) => ({ value: name, title: id ? `${name} · ${id}` : name }))]}
      />
      {pattern && (
        <>
          <PatternForm pattern={{ ...pattern, params: pattern.params.filter(({ name }) => name !== 'cursor') }} values={values} change={(name, value) => change({ [`p.${name}`]: value })} />
          {error && <ErrorNotice error={error} />}
          <div className="row">
            <ActionButton kind="primary" size="small" icon="eye" action={run} disabled={!isComplete(pattern, values)}>
              Show what it reads
            </ActionButton>
            <a className="small" href={`#/patterns/${part(model.name)}/${part(pattern.name)}`}>
              Open pattern
            </a>
          </div>
          {overlay && (
            <ol className="small stack tight reads">
              {overlay.explained.requests.map(({ operation, request, capacity }, at) => (
                <li key={at}>
                  <b>{operation}</b> {String(request.IndexName ?? table.TableName)}
                  {capacity !== null && capacity !== undefined ? ` · ${units(capacity)} RCU` : ''}
                </li>
              ))}
              {total > 0 && <li>{units(total)} RCU in all</li>}
              {overlay.ranges.length === 0 && <li className="quiet">Nothing to mark: its requests read no range.</li>}
            </ol>
          )}
        </>
      )}
    </Card>
  );
}

const percent = (share: number) => `${share < 0.001 ? '< 0.1' : (share * 100).toFixed(1)} %`;

interface HealthCardProps {
  health: Health;
  partitions: readonly Partition[];
  hot: HotKeysNow | undefined;
  choose: (prefix: string) => void;
  on: boolean;
  change: (on: boolean) => void;
}

function HealthCard({ health, partitions, hot, choose, on, change }: HealthCardProps) {
  const partial = partitions.some(({ more }) => more);
  return (
    <Card title="Health" actions={<Switch on={on} change={change} label="in each row" />}>
      <Facts
        facts={[
          ['Partitions', `${count(partitions.length)} shown`],
          ['Largest', `${bytes(health.largest)} · ${percent(health.largest / kPartitionLimit)} of 10 GB`],
          ['Median', bytes(Math.round(health.median))],
          ['Skew', `${health.skew.toFixed(1)} × the median`],
        ]}
      />
      {partial && <p className="small quiet">A partition with more items than are shown is at least so large.</p>}
      {hot && <HotKeysList hot={hot} choose={choose} />}
    </Card>
  );
}

function Decoder({ chip, table, keys, left, open, close }: { chip: Chip; table: TableDescription; keys: string[]; left: string[]; open: () => void; close: () => void }) {
  const names = partNames(chip.item, chip.entity);
  const model = useModelOfTable(table.TableName);
  const attributes = [...new Set([...keyNames(table.KeySchema), ...keys])].filter((name) => chip.item[name]);
  return (
    <div className="decoder" role="region" aria-label="Selected item">
      <div className="row spread">
        <span className="row">
          <EntityBadge model={model} name={chip.entity?.name} />
          <span className="small quiet">{bytes(chip.bytes)}</span>
          <PartLegend names={names} />
        </span>
        <span className="row">
          <Button size="small" onClick={open}>
            Open item
          </Button>
          <Button size="small" kind="plain" icon="close" aria-label="Deselect" onClick={close} />
        </span>
      </div>
      <dl className="facts">
        {attributes.map((name) => (
          <div key={name} className="fact">
            <dt className="mono small">{name}</dt>
            <dd>
              <KeyText value={chip.item[name]} entity={chip.entity} attribute={name} names={names} />
              {chip.entity?.keys[name] && <code className="quiet template">{chip.entity.keys[name].template}</code>}
            </dd>
          </div>
        ))}
        {left.length > 0 && (
          <div className="fact">
            <dt className="small">not in this index</dt>
            <dd className="small quiet">
              {left.join(', ')} · {percent(chip.left)} of its bytes
            </dd>
          </div>
        )}
      </dl>
    </div>
  );
}

const loadPartitions = (table: string, index: string | null, prefix: string, after: string | null, signal?: AbortSignal) =>
  call<PartitionPage>(address('/_/api/partitions', { table, index, prefix, after, limit: 50, items: 25 }), { signal });

const kBatch = 100;
const kMostWhole = 300;

async function loadWhole(table: string, keys: readonly string[], items: readonly Item[], signal: AbortSignal): Promise<Item[]> {
  const found: Item[] = [];
  for (let at = 0; at < Math.min(items.length, kMostWhole); at += kBatch) {
    const Keys = items.slice(at, at + kBatch).map((item) => keyOf(item, keys));
    const reply = await dynamodb<{ Responses?: Record<string, Item[]> }>('BatchGetItem', { RequestItems: { [table]: { Keys } } }, signal);
    found.push(...(reply.Responses?.[table] ?? []));
  }
  return found;
}

function TableCollections({ table }: { table: TableDescription }) {
  const [query, change] = useQuery();
  const model = useModelOfTable(table.TableName);
  const [selected, setSelected] = useState<Chip | null>(null);
  const [open, setOpen] = useState(false);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const [extra, setExtra] = useState<{ key: string; partitions: Partition[]; next: string | null } | null>(null);
  const index = indexesOf(table).find(({ IndexName }) => IndexName === query.index) ?? null;
  const tableKeys = useMemo(() => keyNames(table.KeySchema), [table]);
  const [hash, sort] = keyNames((index ?? table).KeySchema);
  const view = useMemo(() => ({ hash: hash!, sort, tableKeys }), [hash, sort, tableKeys]);
  const name = index?.IndexName ?? null;
  const prefix = query.prefix ?? '';
  const key = `partitions ${table.TableName} ${name} ${prefix}`;
  const load = useLoad(key, (signal) => loadPartitions(table.TableName, name, prefix, null, signal));
  const base = useLoad(name ? `partitions ${table.TableName} null ` : null, (signal) => loadPartitions(table.TableName, null, '', null, signal));

  const known = useMemo(() => new Map(base.data?.partitions.flatMap(({ items }) => items.map(({ item }) => [idOf(item, tableKeys), item] as const))), [base.data, tableKeys]);
  // An index with a part of each item leaves names and sizes to the table.
  const partial = index && index.Projection.ProjectionType !== 'ALL' && base.data && load.data ? load.data.partitions.flatMap(({ items }) => items.map(({ item }) => item)).filter((item) => !known.has(idOf(item, tableKeys))) : [];
  const rest = useLoad(partial.length > 0 ? `whole ${key} ${partial.length}` : null, (signal) => loadWhole(table.TableName, tableKeys, partial, signal));
  const whole = useMemo(() => new Map([...known, ...(rest.data ?? []).map((item) => [idOf(item, tableKeys), item] as const)]), [known, rest.data, tableKeys]);
  const pageOf = (page: PartitionPage | undefined) => (page ? readPartitions(page, view, model, whole) : []);
  const first = useMemo(() => pageOf(load.data), [load.data, view, model, whole]);
  const all = extra?.key === key ? [...first, ...extra.partitions] : first;
  const next = extra?.key === key ? extra.next : (load.data?.next ?? null);
  const counts = useMemo(() => entityCounts(all), [all]);

  // A partition that the pattern reads comes first, also when it is beyond the first page.
  const wanted = overlay?.ranges.filter((range) => range.index === name) ?? [];
  const wantedValue = wanted[0] ? String(Object.values(wanted[0].partition)[0]) : null;
  const wantedLoad = useLoad(wantedValue !== null ? `wanted ${table.TableName} ${name} ${wantedValue}` : null, (signal) => loadPartitions(table.TableName, name, wantedValue!, null, signal));
  const partitions = useMemo(() => {
    const byId = new Map([...all, ...pageOf(wantedLoad.data)].map((partition) => [partition.id, partition]));
    const list = [...byId.values()];
    if (wanted.length === 0) return list;
    const reads = (partition: Partition) => wanted.some((range) => bracketOf(partition, range) !== null);
    return [...list.filter(reads), ...list.filter((partition) => !reads(partition))];
  }, [all, wantedLoad.data, overlay, name]);
  const brackets = useMemo(() => {
    const found = new Map<string, Bracket>();
    for (const partition of partitions) {
      const marks = wanted.map((range) => bracketOf(partition, range)).filter((mark) => mark !== null);
      if (marks.length > 0) found.set(partition.id, { read: new Set(marks.flatMap(({ read }) => [...read])), bytes: marks.reduce((sum, mark) => sum + mark.bytes, 0), units: marks.reduce((sum, mark) => sum + mark.units, 0) });
    }
    return found;
  }, [partitions, overlay, name]);

  const hidden = useMemo(() => {
    if (query.only) return new Set([...counts.keys()].filter((entity) => entity !== query.only));
    // What the server keeps for itself is out of the way until somebody asks for it.
    if (query.hide === undefined) return new Set(model?.entities.filter(({ builtIn }) => builtIn).map((entity) => entity.name));
    return new Set(query.hide.split(',').filter(Boolean));
  }, [query.only, query.hide, counts, model]);
  const toggle = (entity: string) => {
    const nextHidden = new Set(hidden);
    if (!nextHidden.delete(entity)) nextHidden.add(entity);
    change({ only: null, hide: [...nextHidden].join(',') || ',' });
  };

  const sparse = useMemo(() => {
    if (!name || !base.data || prefix) return [];
    const baseView = { hash: tableKeys[0]!, sort: tableKeys[1], tableKeys };
    const indexKeys = index!.KeySchema.map(({ AttributeName }) => ({ name: AttributeName }));
    return readPartitions(base.data, baseView, model).flatMap(({ chips }) => chips.filter(({ item }) => missingKeys(item, { key: indexKeys }).length > 0));
  }, [name, base.data, prefix, model]);

  const visible = useMemo(() => partitions.filter(({ chips }) => chips.some(({ entity }) => !hidden.has(entity?.name ?? ''))), [partitions, hidden]);
  const health = useMemo(() => healthOf(visible), [visible]);
  const calls = useHotKeys(table.TableName, 100);
  const hot = useMemo(() => calls.data && { ...calls.data, partitions: calls.data.partitions.filter((each) => each.index === name) }, [calls.data, name]);
  const leftOut = (chip: Chip): string[] => {
    const all: Item | undefined = name ? whole.get(chip.id) : undefined;
    return all && chip.left > 0 ? Object.keys(all).filter((attribute) => !chip.item[attribute]) : [];
  };
  const box = useRef<HTMLDivElement>(null);
  useFlip(box, `${key} ${load.data ? 'here' : ''}`);
  const more = async () => {
    const page = await loadPartitions(table.TableName, name, prefix, next);
    setExtra({ key, partitions: [...(extra?.key === key ? extra.partitions : []), ...pageOf(page)], next: page.next });
  };
  const select = (chip: Chip) => setSelected((now) => (now?.id === chip.id ? null : chip));

  return (
    <>
      <div className="row">
        <Segmented
          label="Table or index"
          value={name ?? ''}
          change={(value) => change({ index: value, prefix: null }, true)}
          options={[{ value: '', title: 'table' }, ...indexesOf(table).map(({ IndexName }) => ({ value: IndexName, title: IndexName }))]}
        />
        <span className="small quiet">
          partition <code>{hash}</code>
          {sort && (
            <>
              , sorted by <code>{sort}</code>
            </>
          )}
        </span>
        <CollectionExport
          name={`${table.TableName}${name ? `-${name}` : ''}`}
          model={model}
          picture={{ title: `${table.TableName}${name ? ` · ${name}` : ''} · partition ${hash}${sort ? `, sorted by ${sort}` : ''}`, partitions, brackets, pattern: query.pattern ?? null, hidden }}
        />
      </div>
      <div className="split">
        <div className="stack">
          <Text type="search" aria-label="Partitions that begin with" placeholder="partitions that begin with…" mono value={prefix} change={(value) => change({ prefix: value })} />
          <Legend model={model} counts={counts} hidden={hidden} toggle={toggle} only={(entity) => change({ only: entity, hide: entity ? null : ',' })} />
          {partitions.length > 0 && <HealthCard health={health} partitions={visible} hot={hot} choose={(text) => change({ prefix: text })} on={query.health === '1'} change={(on) => change({ health: on ? '1' : null })} />}
          {model && <OverlayForm model={model} table={table} selected={selected} overlay={overlay} show={setOverlay} />}
        </div>
        <div className="stack" ref={box}>
          {load.data?.sampled && <div className="notice warn">A sample: the store is remote, and only it could seek from partition to partition.</div>}
          <Loaded load={load} lines={10}>
            {() =>
              partitions.length === 0 ? (
                <Empty icon="collections" title={prefix ? 'No partition begins like that' : name ? 'No item is in this index' : 'The table is empty'}>
                  {name && <p>Items come into an index when they have its key attributes.</p>}
                </Empty>
              ) : (
                <PartitionRows
                  table={table.TableName}
                  index={name}
                  hash={hash!}
                  partitions={partitions}
                  brackets={brackets}
                  pattern={query.pattern ?? null}
                  model={model}
                  hidden={hidden}
                  selected={selected?.id ?? null}
                  health={query.health === '1' ? health : null}
                  hot={hot?.partitions ?? []}
                  select={select}
                />
              )
            }
          </Loaded>
          {next && (
            <div className="row">
              <ActionButton action={more}>More partitions</ActionButton>
              <span className="small quiet">{plural(partitions.length, 'partition')} so far</span>
            </div>
          )}
          {name && <SparseItems chips={sparse} reasonOf={(chip) => sparseReason(chip, keyNames(index!.KeySchema))} model={model} hidden={hidden} select={select} />}
          {selected && <Decoder chip={selected} table={table} keys={keyNames((index ?? table).KeySchema)} left={leftOut(selected)} open={() => setOpen(true)} close={() => setSelected(null)} />}
        </div>
      </div>
      {open && selected && <ItemDrawer key={idOf(selected.item, tableKeys)} table={table} model={model} item={selected.item} close={() => setOpen(false)} changed={load.reload} open={(item) => setSelected(chipOf(item, itemBytes(item), view, model))} />}
    </>
  );
}

export function Collections({ params }: { params: { table?: string } }) {
  const tables = useLoad('tables', listTables);
  const name = params.table ? decodeURIComponent(params.table) : tables.data?.[0]?.TableName;
  const table = tables.data?.find(({ TableName }) => TableName === name);
  return (
    <>
      <PageHead title="Item collections" about="A row is a partition, a chip an item in sort order, as wide as its size in doublings. Switch to an index and watch the same items move.">
        {tables.data && tables.data.length > 0 && (
          <Select aria-label="Table" value={name ?? ''} change={(next) => navigate(`/collections/${part(next)}`)} options={tables.data.map(({ TableName }) => TableName)} />
        )}
      </PageHead>
      <Loaded load={tables}>
        {() => (table ? <TableCollections key={table.TableName} table={table} /> : <Empty icon="table" title={name ? `There is no table ${name}` : 'No tables yet'} />)}
      </Loaded>
    </>
  );
}
