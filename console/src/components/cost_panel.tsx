// What a run cost: units by table and index, what was read for what was returned, and the price of a month.

import { useState } from 'react';
import { describeTable } from '../api/dynamodb';
import { type CostSum, type RequestCost, costSum, dollars, kPrices, monthlyPrice, scanUnits, sumCharges } from '../lib/cost';
import { bytes, count, micros, plural, units } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import { Button, Field, Text } from './controls';
import { Badge, Card, Stats, Table } from './layout';

const positive = (text: string | undefined, otherwise: number) => (Number(text) > 0 ? Number(text) : otherwise);

export function usePrices() {
  const [query, change] = useQuery();
  return { rps: positive(query.rps, 10), prices: { read: positive(query.rprice, kPrices.read), write: positive(query.wprice, kPrices.write) }, query, change };
}

export function CostPanel({ requests, ms, table }: { requests: RequestCost[]; ms: number; table: string }) {
  const { rps, prices, query, change } = usePrices();
  const about = useLoad(`table ${table}`, (signal) => describeTable(table, signal));
  const sum = costSum(requests);
  const share = sum.scanned > 0 ? (sum.returned / sum.scanned) * 100 : 0;
  const scan = about.data ? scanUnits(about.data.TableSizeBytes) : null;
  return (
    <Card title="What it cost">
      <Stats
        figures={[
          { title: 'Units', value: units(sum.read), note: `RCU${sum.write > 0 ? `, ${units(sum.write)} WCU` : ''}` },
          { title: 'Read, returned', value: `${count(sum.scanned)}, ${count(sum.returned)}`, note: sum.more ? 'and more pages' : 'items' },
          { title: 'Pages', value: count(sum.pages), note: `${bytes(sum.bytes)} of items` },
          { title: 'Took', value: micros(ms * 1000), note: 'seen here' },
          { title: `At ${count(rps)} a second on AWS`, value: dollars(monthlyPrice(sum, rps, prices)), note: 'a month' },
        ]}
      />
      <div className="bar" role="img" aria-label={`${sum.returned} of ${sum.scanned} items that were read are returned`}>
        <i style={{ width: `${share}%`, background: 'var(--accent)' }} />
        <i style={{ width: `${sum.scanned ? 100 - share : 0}%`, background: 'var(--warn)' }} />
      </div>
      <div className="grid-2">
        <Table
          label="Units by table and index"
          rows={sumCharges(requests.flatMap(({ charges }) => charges))}
          rowKey={({ where }) => where}
          columns={[
            { title: 'Where', cell: ({ where }) => <code>{where}</code> },
            { title: 'RCU', number: true, cell: ({ read }) => units(read) },
            { title: 'WCU', number: true, cell: ({ write }) => units(write) },
          ]}
        />
        <Table
          label="Requests"
          rows={requests}
          rowKey={(_, at) => String(at)}
          columns={[
            { title: 'Request', cell: ({ operation }) => operation },
            { title: 'Read', number: true, cell: ({ scanned }) => count(scanned) },
            { title: 'Returned', number: true, cell: ({ returned }) => count(returned) },
            { title: 'Bytes', number: true, cell: ({ bytes: size }) => bytes(size) },
            { title: 'Took', number: true, cell: ({ ms: time }) => micros(time * 1000) },
          ]}
        />
      </div>
      <div className="price-bar">
        <NumberField label="Requests a second" value={query.rps ?? '10'} change={(value) => change({ rps: value })} />
        <NumberField label="Dollars for a million RCU" value={query.rprice ?? String(kPrices.read)} change={(value) => change({ rprice: value })} />
        <NumberField label="Dollars for a million WCU" value={query.wprice ?? String(kPrices.write)} change={(value) => change({ wprice: value })} />
        {scan !== null && (
          <p className="small quiet">
            A Scan of the whole table would read {units(scan)} RCU{sum.read > 0 && scan > 1.1 * sum.read ? `, ${units(scan / sum.read)} times as much` : ''}.
          </p>
        )}
      </div>
    </Card>
  );
}

// Keeps what is typed, also while it is no number.
function NumberField({ label, value, change }: { label: string; value: string; change: (value: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <Field label={label}>
      <Text
        type="number"
        min={0}
        step="any"
        value={text}
        change={(next) => {
          setText(next);
          change(next);
        }}
      />
    </Field>
  );
}

export interface Run {
  id: number;
  pattern: string;
  params: string;
  sum: CostSum;
  ms: number;
}

// Runs of this visit beside each other; the first of them is what the others are measured by.
export function CompareRuns({ runs, clear }: { runs: readonly Run[]; clear: () => void }) {
  const { rps, prices } = usePrices();
  if (runs.length < 2) return null;
  const base = runs[0]!;
  const against = (value: number, first: number) => (first > 0 && value !== first ? <span className={`small ${value > first ? 'bad-text' : 'good-text'}`}> ×{units(value / first)}</span> : null);
  return (
    <Card title="Compare" flush actions={<Button size="small" onClick={clear}>Forget the runs</Button>}>
      <Table
        label="Compare"
        rows={runs}
        rowKey={({ id }) => String(id)}
        columns={[
          { title: 'Run', cell: (run) => <span className="nowrap">{run.pattern} {run === base && <Badge>first</Badge>}</span> },
          { title: 'With', cell: ({ params }) => <code>{params || '–'}</code> },
          { title: 'RCU', number: true, cell: ({ sum }) => <>{units(sum.read)}{against(sum.read, base.sum.read)}</> },
          { title: 'Read', number: true, cell: ({ sum }) => <>{count(sum.scanned)}{against(sum.scanned, base.sum.scanned)}</> },
          { title: 'Returned', number: true, cell: ({ sum }) => count(sum.returned) },
          { title: 'Pages', number: true, cell: ({ sum }) => count(sum.pages) },
          { title: 'Took', number: true, cell: ({ ms }) => <span className="nowrap">{micros(ms * 1000)}</span> },
          { title: 'A month', number: true, cell: ({ sum }) => dollars(monthlyPrice(sum, rps, prices)) },
        ]}
      />
      <p className="small quiet pad-4">{plural(runs.length, 'run')} of this visit. Run the pattern again with other values, or another one, to see them side by side.</p>
    </Card>
  );
}
