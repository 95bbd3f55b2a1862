// Is it well, how do I connect, what is here, what went wrong lately.

import { useState } from 'react';
import { Link } from 'wouter';
import { exchange } from '../api/client';
import { listTables } from '../api/dynamodb';
import { useModels } from '../api/models';
import { loadMetrics, loadRequests } from '../api/operate';
import { useSession } from '../api/session';
import { Sparkline } from '../components/chart';
import { Code } from '../components/code';
import { Segmented } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, PageHead, Stats, Table } from '../components/layout';
import { ago, bytes, count, micros } from '../lib/format';
import { link, navigate, part } from '../lib/location';
import { useLoad } from '../lib/use_load';

type Kit = 'shell' | 'js' | 'python' | 'rest';

function connectText(kit: Kit, urls: { dynamodb?: string; s3?: string; http?: string }, region: string, system: string): string {
  const dynamodb = urls.dynamodb ?? '';
  switch (kit) {
    case 'shell':
      return [
        dynamodb && `export AWS_ENDPOINT_URL_DYNAMODB=${dynamodb}`,
        urls.s3 && `export AWS_ENDPOINT_URL_S3=${urls.s3}`,
        `export AWS_REGION=${region}`,
        'export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local',
        'aws dynamodb list-tables',
      ]
        .filter(Boolean)
        .join('\n');
    case 'js':
      return `import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';\n\nconst client = new DynamoDBClient({\n  endpoint: '${dynamodb}',\n  region: '${region}',\n  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },\n});\nconsole.log(await client.send(new ListTablesCommand({})));`;
    case 'python':
      return `import boto3\n\nclient = boto3.client(\n    "dynamodb",\n    endpoint_url="${dynamodb}",\n    region_name="${region}",\n    aws_access_key_id="local",\n    aws_secret_access_key="local",\n)\nprint(client.list_tables())`;
    case 'rest':
      return `curl -sS ${urls.http ?? location.origin}${system}/patterns \\\n    -H "Authorization: Bearer $TOKEN"`;
  }
}

function Connect() {
  const { session } = useSession();
  const models = useModels();
  const [kit, setKit] = useState<Kit>('shell');
  const options: { value: Kit; title: string }[] = [
    { value: 'shell', title: 'Shell' },
    { value: 'js', title: 'JavaScript' },
    { value: 'python', title: 'boto3' },
  ];
  if (models.length > 0) options.push({ value: 'rest', title: 'REST' });
  return (
    <Card title="Connect" actions={<Segmented label="Kind of client" value={kit} change={setKit} options={options} />}>
      <Code text={connectText(kit, session.urls, session.region, models[0]?.path ?? '/v1')} label="how to connect" wrap />
    </Card>
  );
}

function Tables() {
  const tables = useLoad('tables', listTables);
  const models = useModels();
  return (
    <Card title="Tables" flush actions={<Link href="/tables">All tables</Link>}>
      <Loaded load={tables} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="table" title="No tables yet">
              <p>Create one with any AWS SDK, or serve a model: gateleg serve --model FILE makes its table.</p>
            </Empty>
          ) : (
            <Table
              label="Tables"
              rows={list.slice(0, 8)}
              rowKey={(table) => table.TableName}
              open={(table) => navigate(`/collections/${part(table.TableName)}`)}
              columns={[
                { title: 'Name', cell: (table) => <Link href={`/collections/${part(table.TableName)}`}>{table.TableName}</Link> },
                { title: 'Model', cell: (table) => <span className="quiet">{models.find((model) => model.table.name === table.TableName)?.title ?? '–'}</span> },
                { title: 'Items', number: true, cell: (table) => count(table.ItemCount) },
                { title: 'Size', number: true, cell: (table) => bytes(table.TableSizeBytes) },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function LastErrors() {
  const requests = useLoad('home-errors', (signal) => loadRequests({ limit: 200, status: 'errors' }, signal), 10_000);
  return (
    <Card title="Last errors" flush actions={<Link href={link('/requests', { show: 'errors' })}>All requests</Link>}>
      <Loaded load={requests} lines={3}>
        {(list) => {
          const errors = list.filter(({ status }) => status >= 400).slice(0, 6);
          if (errors.length === 0) return <Empty icon="check" title="No request failed lately" />;
          return (
            <Table
              label="Last errors"
              rows={errors}
              rowKey={({ id }, at) => `${id}-${at}`}
              columns={[
                { title: 'When', cell: ({ t }) => <span className="quiet nowrap">{ago(t)}</span> },
                { title: 'Call', cell: ({ operation, face }) => `${operation} (${face})` },
                { title: 'Answer', cell: ({ status, code }) => <Badge kind="bad">{code ?? status}</Badge> },
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}

interface Health {
  ok: boolean;
  durability: string;
}

async function loadHealth(signal: AbortSignal): Promise<Health> {
  const answer = await exchange('/readyz', { signal });
  const body = (answer.body ?? {}) as { durability?: string };
  return { ok: answer.status === 200, durability: body.durability ?? '' };
}

export function Home() {
  const { session } = useSession();
  const health = useLoad('health', loadHealth, 10_000);
  const metrics = useLoad('metrics', loadMetrics, 5000);
  const points = metrics.data?.points ?? [];
  const last = points.at(-1);
  const busy = points.findLast(({ requests }) => requests > 0); // a second without requests has no times
  const seconds = (metrics.data?.step ?? 1000) / 1000;
  return (
    <>
      <PageHead title="Home" about={`${session.instance} · ${session.store === 'embedded' ? 'tables in this process' : `tables at ${session.store}`}${session.testClock ? ' · test clock' : ''}`}>
        {health.data && <Badge kind={health.data.ok ? 'good' : 'bad'}>{health.data.ok ? 'Ready' : 'Not ready'}</Badge>}
        {health.data?.durability && <Badge>durability: {health.data.durability}</Badge>}
      </PageHead>
      <Stats
        figures={[
          { title: 'Requests', value: last ? count(Math.round(last.requests / seconds)) : '–', note: 'a second' },
          { title: 'Half are faster than', value: micros(busy?.p50) },
          { title: '99 of 100 are faster than', value: micros(busy?.p99) },
          { title: 'Errors, 15 minutes', value: count(points.reduce((sum, point) => sum + point.errors, 0)) },
          { title: 'Memory', value: bytes(last?.rss) },
        ]}
      />
      <Card title="Requests a second" actions={<Link href="/metrics">Metrics</Link>}>
        <Loaded load={metrics} lines={2}>
          {() => <Sparkline values={points.map(({ requests }) => requests / seconds)} label={`Requests a second over the last ${count(points.length)} measurements`} height={56} />}
        </Loaded>
      </Card>
      <div className="grid-2">
        <Connect />
        <Tables />
      </div>
      <LastErrors />
    </>
  );
}
