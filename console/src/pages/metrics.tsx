// The last fifteen minutes: how much, how fast, what failed.

import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type MetricPoint, type MetricsAnswer, loadMetrics } from '../api/operate';
import { TimeChart } from '../components/chart';
import { Segmented } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { HotKeysCard } from '../components/hot_keys';
import { Card, PageHead, Table } from '../components/layout';
import { bytes, count, micros } from '../lib/format';
import { link, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';

interface OperationSum {
  name: string;
  n: number;
  errors: number;
  p50: number;
  p99: number;
}

// Percentiles of a window cannot be had from those of its seconds; the largest is an honest bound.
export function operationSums(points: readonly MetricPoint[]): OperationSum[] {
  const sums = new Map<string, OperationSum>();
  for (const point of points) {
    for (const [name, { n, errors, p50, p99 }] of Object.entries(point.byOperation ?? {})) {
      const sum = sums.get(name) ?? { name, n: 0, errors: 0, p50: 0, p99: 0 };
      sum.p50 = sum.n + n > 0 ? (sum.p50 * sum.n + (p50 ?? 0) * n) / (sum.n + n) : 0;
      sum.n += n;
      sum.errors += errors;
      sum.p99 = Math.max(sum.p99, p99 ?? 0);
      sums.set(name, sum);
    }
  }
  return [...sums.values()].sort((a, b) => b.n - a.n);
}

const kMinutes = ['1', '5', '15'] as const;

function Charts({ data, minutes }: { data: MetricsAnswer; minutes: number }) {
  const [at, setAt] = useState<number | null>(null);
  const points = useMemo(() => data.points.filter(({ t }) => t >= data.now - minutes * 60_000), [data, minutes]);
  const seconds = data.step / 1000;
  const times = points.map(({ t }) => t);
  const operations = useMemo(() => operationSums(points), [points]);
  if (points.length < 2) return <Empty icon="chart" title="Nothing measured yet">The first points come within seconds.</Empty>;
  const share = { times, at, setAt };
  const has = (pick: (point: MetricPoint) => unknown) => points.some((point) => pick(point) !== undefined && pick(point) !== null);
  return (
    <>
      <div className="grid-2">
        <Card>
          <TimeChart {...share} title="Requests a second" format={(value) => count(Math.round(value))} series={[{ name: 'requests', colour: 'var(--accent)', values: points.map(({ requests }) => requests / seconds) }]} />
        </Card>
        <Card>
          <TimeChart
            {...share}
            title="Time of a request"
            format={micros}
            series={[
              { name: 'p50', colour: 'var(--accent)', values: points.map(({ p50, requests }) => (requests > 0 ? p50 : null)) },
              { name: 'p95', colour: 'var(--warn)', values: points.map(({ p95, requests }) => (requests > 0 ? p95 : null)) },
              { name: 'p99', colour: 'var(--bad)', values: points.map(({ p99, requests }) => (requests > 0 ? p99 : null)) },
            ]}
          />
        </Card>
        <Card>
          <TimeChart {...share} title="Errors a second" format={(value) => String(Math.round(value * 10) / 10)} series={[{ name: 'errors', colour: 'var(--bad)', values: points.map(({ errors }) => errors / seconds) }]} />
        </Card>
        {has(({ rss }) => rss) && (
          <Card>
            <TimeChart {...share} title="Memory" format={bytes} series={[{ name: 'resident', colour: 'var(--accent)', values: points.map(({ rss }) => rss ?? null) }]} />
          </Card>
        )}
        {has(({ cpuSeconds }) => cpuSeconds) && (
          <Card>
            <TimeChart
              {...share}
              title="Processor"
              format={(value) => `${Math.round(value * 100)} %`}
              series={[{ name: 'of one core', colour: 'var(--accent)', values: points.map(({ cpuSeconds = 0, t }, index) => (index === 0 ? null : Math.max(0, ((cpuSeconds - (points[index - 1]!.cpuSeconds ?? 0)) * 1000) / Math.max(1, t - points[index - 1]!.t)))) }]}
            />
          </Card>
        )}
        {has(({ diskBytes }) => diskBytes) && (
          <Card>
            <TimeChart {...share} title="On the disk" format={bytes} series={[{ name: 'files', colour: 'var(--accent)', values: points.map(({ diskBytes }) => diskBytes ?? null) }]} />
          </Card>
        )}
        {has(({ connections }) => connections) && (
          <Card>
            <TimeChart
              {...share}
              title="Connections and waiting writes"
              format={(value) => count(Math.round(value))}
              series={[
                { name: 'connections', colour: 'var(--accent)', values: points.map(({ connections }) => connections ?? null) },
                { name: 'writes', colour: 'var(--warn)', values: points.map(({ queuedWrites }) => queuedWrites ?? null) },
              ]}
            />
          </Card>
        )}
      </div>
      <Card title="By operation" flush>
        {operations.length === 0 ? (
          <Empty title="No operation was called in this time" />
        ) : (
          <Table
            label="By operation"
            rows={operations}
            rowKey={({ name }) => name}
            columns={[
              { title: 'Operation', cell: ({ name }) => <Link href={link('/requests', { operation: name })}>{name}</Link> },
              { title: 'Calls', number: true, cell: ({ n }) => count(n) },
              { title: 'Errors', number: true, cell: ({ errors }) => count(errors) },
              { title: 'p50, mean', number: true, cell: ({ p50 }) => micros(p50) },
              { title: 'p99, worst', number: true, cell: ({ p99 }) => micros(p99) },
            ]}
          />
        )}
      </Card>
    </>
  );
}

export function Metrics() {
  const [query, change] = useQuery();
  const minutes = kMinutes.find((value) => value === query.minutes) ?? '5';
  const metrics = useLoad('metrics', loadMetrics, 3000);
  return (
    <>
      <PageHead
        title="Metrics"
        about={
          <>
            The last minutes of this process. For longer, let Prometheus read <a href="/metrics">/metrics</a>.
          </>
        }
      >
        <Segmented label="Time" value={minutes} change={(value) => change({ minutes: value })} options={kMinutes.map((value) => ({ value, title: `${value} min` }))} />
      </PageHead>
      <Loaded load={metrics}>{(data) => <Charts data={data} minutes={Number(minutes)} />}</Loaded>
      <HotKeysCard />
    </>
  );
}
