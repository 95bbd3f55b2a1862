// Query, Scan or PartiQL on a table or an index, with the exact request beside the result. The search is in the address.

import { useEffect, useMemo, useRef, useState } from 'react';
import { type Page, type TableDescription, dynamodb, indexesOf, keyNames, listTables } from '../api/dynamodb';
import { useModelOfTable } from '../api/models';
import { BulkBar } from '../components/bulk_bar';
import { Snippets } from '../components/code';
import { Button, Field, Segmented, Select, Switch, Text } from '../components/controls';
import { Empty, ErrorNotice, Loaded, Skeleton } from '../components/feedback';
import { ItemDrawer } from '../components/item_drawer';
import { ItemGrid } from '../components/item_grid';
import { Badge, Card, PageHead } from '../components/layout';
import { Overlay } from '../components/overlay';
import type { Item } from '../lib/attribute';
import { type Filter, type FilterOperator, type Search, type SortOperator, kFilterOperators, kSortOperators, searchRequest } from '../lib/expression';
import { idOf } from '../lib/collection';
import { count, plural, units } from '../lib/format';
import { type Query, navigate, part, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';

const kTypes = ['S', 'N', 'BOOL'] as const;
const kTypeTitles: Record<string, string> = { S: 'text', N: 'number', BOOL: 'yes/no' };

function filtersOf(query: Query): Filter[] {
  try {
    return query.filters ? (JSON.parse(query.filters) as Filter[]) : [];
  } catch {
    return [];
  }
}

function searchOf(query: Query, table: TableDescription): Search {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === query.index);
  const [hash, range] = keyNames((index ?? table).KeySchema);
  const typeOf = (name: string | undefined) => table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
  return {
    mode: query.mode === 'query' ? 'query' : 'scan',
    table: table.TableName,
    index: index?.IndexName ?? null,
    partition: { name: hash!, type: typeOf(hash), value: query.pk ?? '' },
    sort: range ? { name: range, type: typeOf(range), operator: (query.op as SortOperator | undefined) ?? '=', value: query.sk ?? '', upper: query.sk2 ?? '' } : null,
    filters: filtersOf(query),
    descending: query.desc === '1',
    limit: Math.min(1000, Math.max(1, Number(query.limit) || 100)),
  };
}

function Filters({ filters, change, names }: { filters: Filter[]; change: (filters: Filter[]) => void; names: string[] }) {
  const set = (at: number, part: Partial<Filter>) => change(filters.map((filter, index) => (index === at ? { ...filter, ...part } : filter)));
  const needsValue = (operator: FilterOperator) => operator !== 'exists' && operator !== 'absent';
  return (
    <div className="stack tight">
      <datalist id="attribute-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {filters.map((filter, at) => (
        <div key={at} className="filter">
          <Text aria-label="Attribute" placeholder="attribute" list="attribute-names" mono value={filter.name} change={(name) => set(at, { name })} />
          <Select aria-label="Operator" value={filter.operator} change={(operator) => set(at, { operator: operator as FilterOperator })} options={kFilterOperators} />
          {needsValue(filter.operator) && (
            <>
              <Select aria-label="Type" value={filter.type} change={(type) => set(at, { type })} options={kTypes.map((value) => ({ value, title: kTypeTitles[value]! }))} />
              {filter.type === 'BOOL' ? (
                <Select aria-label="Value" value={filter.value || 'true'} change={(value) => set(at, { value })} options={['true', 'false']} />
              ) : (
                <Text aria-label="Value" placeholder="value" mono value={filter.value} change={(value) => set(at, { value })} />
              )}
              {filter.operator === 'between' && <Text aria-label="Upper value" placeholder="up to" mono value={filter.upper} change={(upper) => set(at, { upper })} />}
            </>
          )}
          <Button kind="plain" icon="close" aria-label="Remove this filter" onClick={() => change(filters.filter((_, index) => index !== at))} />
        </div>
      ))}
    </div>
  );
}

interface SearchFormProps {
  table: TableDescription;
  query: Query;
  change: (changes: Record<string, string | null>) => void;
  run: () => void;
  names: string[];
}

function SearchForm({ table, query, change, run, names }: SearchFormProps) {
  const search = searchOf(query, table);
  const indexes = [{ value: '', title: `${table.TableName} (table)` }, ...indexesOf(table).map(({ IndexName }) => ({ value: IndexName, title: IndexName }))];
  const mode = query.mode ?? 'scan';
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div className="search-bar">
        <Segmented
          label="Kind of read"
          value={mode}
          change={(next) => change({ mode: next })}
          options={[
            { value: 'query', title: 'Query' },
            { value: 'scan', title: 'Scan' },
            { value: 'partiql', title: 'PartiQL' },
          ]}
        />
        {mode !== 'partiql' && (
          <>
            <Select aria-label="Table or index" value={query.index ?? ''} change={(index) => change({ index, pk: null, sk: null })} options={indexes} />
            <Switch on={search.descending} change={(on) => change({ desc: on ? '1' : null })} label="newest first" />
          </>
        )}
      </div>
      {mode === 'query' && (
        <div className="keys-bar">
          <Field label={search.partition!.name}>
            <Text mono required placeholder="partition key" value={query.pk ?? ''} change={(pk) => change({ pk })} />
          </Field>
          {search.sort && (
            <>
              <Field label="is">
                <Select value={search.sort.operator} change={(op) => change({ op })} options={kSortOperators.filter((operator) => operator !== 'begins_with' || search.sort!.type !== 'N')} />
              </Field>
              <Field label={search.sort.name} optional>
                <Text mono placeholder="sort key" value={query.sk ?? ''} change={(sk) => change({ sk })} />
              </Field>
              {search.sort.operator === 'between' && (
                <Field label="and">
                  <Text mono value={query.sk2 ?? ''} change={(sk2) => change({ sk2 })} />
                </Field>
              )}
            </>
          )}
        </div>
      )}
      {mode === 'partiql' ? (
        <Field label="Statement">
          <textarea className="mono" rows={3} spellCheck={false} value={query.statement ?? `SELECT * FROM "${table.TableName}"`} onInput={(event) => change({ statement: event.currentTarget.value })} />
        </Field>
      ) : (
        <Filters filters={search.filters} change={(filters) => change({ filters: filters.length > 0 ? JSON.stringify(filters) : null })} names={names} />
      )}
      <div className="row">
        <Button kind="primary" icon="play" type="submit">
          Run
        </Button>
        {mode !== 'partiql' && (
          <Button icon="plus" onClick={() => change({ filters: JSON.stringify([...search.filters, { name: '', type: 'S', operator: '=', value: '', upper: '' }]) })}>
            Filter
          </Button>
        )}
        {mode === 'scan' && <span className="small quiet">A scan reads items in the order of the store and is charged for all it reads.</span>}
      </div>
    </form>
  );
}

interface Result {
  items: Item[];
  scanned: number;
  units: number;
  next: unknown;
}

function useSearch(table: TableDescription | undefined, query: Query, round: number) {
  const [result, setResult] = useState<Result | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const partiql = query.mode === 'partiql';
  const build = (next?: unknown): { operation: string; request: Record<string, unknown> } =>
    partiql
      ? { operation: 'ExecuteStatement', request: { Statement: query.statement ?? `SELECT * FROM "${table!.TableName}"`, ReturnConsumedCapacity: 'TOTAL', ...(next ? { NextToken: next } : {}) } }
      : searchRequest(searchOf(query, table!), next as Item | undefined);
  const load = async (more: boolean) => {
    setBusy(true);
    setError(null);
    try {
      const { operation, request } = build(more ? result?.next : undefined);
      const page = await dynamodb<Page & { NextToken?: string }>(operation, request);
      const before = more && result ? result : { items: [], scanned: 0, units: 0 };
      const items = page.Items ?? [];
      setResult({
        items: [...before.items, ...items],
        scanned: before.scanned + (page.ScannedCount ?? items.length),
        units: before.units + (page.ConsumedCapacity?.CapacityUnits ?? 0),
        next: page.LastEvaluatedKey ?? page.NextToken ?? null,
      });
    } catch (failure) {
      setError(failure as Error);
      if (!more) setResult(null);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (!table || (query.mode === 'query' && !query.pk)) return;
    void load(false);
  }, [table?.TableName, round]);
  return { result, error, busy, load, build };
}

function TableItems({ table }: { table: TableDescription }) {
  const [query, changeQuery] = useQuery();
  const formed = useRef(location.hash); // the address as the form left it: an edit waits for Run
  const change: typeof changeQuery = (changes) => {
    changeQuery(changes);
    formed.current = location.hash;
  };
  const model = useModelOfTable(table.TableName);
  const [round, setRound] = useState(0);
  const [open, setOpen] = useState<Item | 'new' | null>(null);
  const [code, setCode] = useState(false);
  const search = useSearch(table, query, round);
  const index = indexesOf(table).find(({ IndexName }) => IndexName === query.index);
  const tableKeys = useMemo(() => keyNames(table.KeySchema), [table]);
  const keys = useMemo(() => [...new Set([...tableKeys, ...(index ? keyNames(index.KeySchema) : [])])], [tableKeys, index]);
  const names = useMemo(() => [...new Set(search.result?.items.flatMap((item) => Object.keys(item)) ?? [])].sort(), [search.result]);
  const [picked, setPicked] = useState<Set<string>>(new Set());
  const rerun = () => setRound((now) => now + 1);
  const { result } = search;
  // A link or the back button leads to another search, which runs at once.
  useEffect(() => {
    if (location.hash === formed.current) return;
    formed.current = location.hash;
    setPicked(new Set());
    rerun();
  }, [query]);
  // A statement may leave out the key; such rows can be read, not chosen.
  const canPick = useMemo(() => result !== null && result.items.every((item) => tableKeys.every((name) => item[name])), [result, tableKeys]);
  const selected = useMemo(() => (canPick ? (result?.items.filter((item) => picked.has(idOf(item, tableKeys))) ?? []) : []), [result, picked, canPick, tableKeys]);
  const selection = {
    has: (item: Item) => picked.has(idOf(item, tableKeys)),
    toggle: (items: readonly Item[], on: boolean) =>
      setPicked((now) => {
        const next = new Set(now);
        for (const item of items) on ? next.add(idOf(item, tableKeys)) : next.delete(idOf(item, tableKeys));
        return next;
      }),
  };
  const ready = query.mode !== 'query' || query.pk;
  return (
    <>
      <Card>
        <SearchForm table={table} query={query} change={change} run={rerun} names={names} />
      </Card>
      {search.error && <ErrorNotice error={search.error} retry={rerun} />}
      <Card
        flush
        title={
          result ? (
            <span className="row">
              {result.next ? `${count(result.items.length)} items so far` : plural(result.items.length, 'item')}
              <Badge>{count(result.scanned)} read</Badge>
              <Badge>{units(result.units)} RCU</Badge>
            </span>
          ) : (
            'Items'
          )
        }
        actions={
          <>
            {ready && (
              <Button size="small" icon="api" onClick={() => setCode(true)}>
                Copy as code
              </Button>
            )}
            <Button size="small" icon="plus" onClick={() => setOpen('new')}>
              New item
            </Button>
          </>
        }
      >
        {search.busy && !result ? (
          <Skeleton />
        ) : !result ? (
          <Empty title={ready ? 'No result' : 'Which partition?'}>
            <p>{ready ? 'Run the search again.' : 'A query reads one partition: give the value of its key, then run it.'}</p>
          </Empty>
        ) : result.items.length === 0 ? (
          <Empty title="Nothing matches">
            <p>{result.next ? 'This page had no match; there is more to read.' : `${plural(result.scanned, 'item')} read, none fit.`}</p>
          </Empty>
        ) : (
          <>
            <BulkBar table={table} items={result.items} selected={selected} clear={() => setPicked(new Set())} changed={rerun} />
            <ItemGrid items={result.items} keys={keys} model={model} open={setOpen} selection={canPick ? selection : undefined} />
          </>
        )}
        {result?.next ? (
          <div className="more">
            <Button onClick={() => void search.load(true)} aria-busy={search.busy}>
              Load more
            </Button>
          </div>
        ) : null}
      </Card>
      {open && <ItemDrawer key={open === 'new' ? 'new' : idOf(open, tableKeys)} table={table} model={model} item={open === 'new' ? null : open} close={() => setOpen(null)} changed={rerun} open={setOpen} />}
      {code && (
        <Overlay title="This search as code" kind="modal wide" close={() => setCode(false)}>
          <Snippets {...search.build()} />
        </Overlay>
      )}
    </>
  );
}

export function Items({ params }: { params: { table?: string } }) {
  const tables = useLoad('tables', listTables);
  const name = params.table ? decodeURIComponent(params.table) : tables.data?.[0]?.TableName;
  const table = tables.data?.find(({ TableName }) => TableName === name);
  return (
    <>
      <PageHead title="Items" about="Read, filter and edit. Each edit is shown as the request it becomes before it is sent.">
        {tables.data && tables.data.length > 0 && (
          <Select aria-label="Table" value={name ?? ''} change={(next) => navigate(`/items/${part(next)}`)} options={tables.data.map(({ TableName }) => TableName)} />
        )}
      </PageHead>
      <Loaded load={tables}>
        {(list) =>
          table ? (
            <TableItems key={table.TableName} table={table} />
          ) : (
            <Empty icon="table" title={list.length === 0 ? 'No tables yet' : `There is no table ${name}`}>
              <p>{list.length === 0 ? 'Create one with any AWS SDK, then its items are here.' : 'Choose another one above.'}</p>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}
