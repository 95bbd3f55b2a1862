// The last requests with the stages of each. Bodies, keys and secrets are not kept.

import { type RequestEntry, loadRequests } from '../api/operate';
import { useSession } from '../api/session';
import { Code } from '../components/code';
import { Button, Segmented, Switch, Text } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Table } from '../components/layout';
import { Overlay } from '../components/overlay';
import { bytes, clock, micros, moment, plural } from '../lib/format';
import { useQuery } from '../lib/location';
import { shellQuoted } from '../lib/snippets';
import { useLoad } from '../lib/use_load';
import '../styles/operate.css';

const kStageColours: Record<string, string> = { auth: 'var(--warn)', parse: 'light-dark(#6b3fa0, #c3a6f0)', run: 'var(--accent)', write: 'var(--ink-3)' };

function Stages({ stages, us }: { stages: Record<string, number>; us: number }) {
  const entries = Object.entries(stages ?? {});
  return (
    <span className="bar stages" role="img" aria-label={entries.map(([name, time]) => `${name} ${micros(time)}`).join(', ')}>
      {entries.map(([name, time]) => (
        <i key={name} style={{ width: `${us > 0 ? (time / us) * 100 : 0}%`, background: kStageColours[name] ?? 'var(--line-2)' }} title={`${name} ${micros(time)}`} />
      ))}
    </span>
  );
}

function curlOf({ face, operation, table }: RequestEntry, urls: { dynamodb?: string; http?: string; s3?: string }, region: string): string {
  if (face === 'dynamodb') {
    return [
      `curl -sS ${urls.dynamodb ?? ''}`,
      `--aws-sigv4 aws:amz:${region}:dynamodb --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"`,
      `-H 'X-Amz-Target: DynamoDB_20120810.${operation}' -H 'Content-Type: application/x-amz-json-1.0'`,
      `-d ${shellQuoted(JSON.stringify(table ? { TableName: table } : {}))}`,
    ].join(' \\\n    ');
  }
  const [method = 'GET', path = ''] = operation.split(' ');
  if (path.startsWith('/')) return `curl -sS -X ${method} ${shellQuoted(`${(face === 's3' ? urls.s3 : urls.http) ?? ''}${path}`)} \\\n    -H "Authorization: Bearer $TOKEN"`;
  return `# ${operation} on ${face === 's3' ? urls.s3 : urls.http}`;
}

function Detail({ request, close }: { request: RequestEntry; close: () => void }) {
  const { session } = useSession();
  return (
    <Overlay title={request.operation} close={close}>
      <Facts
        facts={[
          ['When', moment(request.t)],
          ['Answer', <Badge kind={request.status < 400 ? 'good' : 'bad'}>{request.code ? `${request.status} ${request.code}` : request.status}</Badge>],
          ['Took', micros(request.us)],
          ...Object.entries(request.stages ?? {}).map(([name, time]): [string, string] => [`· ${name}`, micros(time)]),
          ['Bytes', `${bytes(request.bytesIn)} in, ${bytes(request.bytesOut)} out`],
          ['Table', request.table ?? '–'],
          ['Face', request.face],
          ['Request id', <code>{request.id}</code>],
          ['Trace', request.trace ? <code>{request.trace}</code> : '–'],
        ]}
      />
      <section className="stack tight">
        <h3>As curl</h3>
        <Code text={curlOf(request, session.urls, session.region)} label="the call as curl" />
        <p className="small quiet">Bodies are not kept: fill in what it sent.</p>
      </section>
    </Overlay>
  );
}

export function Requests() {
  const [query, change] = useQuery();
  const show = query.show === 'slow' || query.show === 'errors' ? query.show : 'all';
  const live = query.live !== 'off';
  const own = query.own === '1';
  const find = (query.operation ?? '').toLowerCase();
  const requests = useLoad(`requests ${show}`, (signal) => loadRequests({ limit: 500, slow: show === 'slow', status: show === 'errors' ? 'errors' : undefined }, signal), live ? 3000 : 0);
  const open = requests.data?.find(({ id }) => id === query.id);
  return (
    <>
      <PageHead title="Requests" about="The last 2,000 calls of every face, newest first, with the time each stage took.">
        <Switch on={own} change={(on) => change({ own: on ? '1' : null })} label="with the console’s own" />
        <Switch on={live} change={(on) => change({ live: on ? null : 'off' })} label="live" />
        <Button icon="refresh" onClick={requests.reload}>
          Refresh
        </Button>
      </PageHead>
      <div className="row">
        <Segmented
          label="Which"
          value={show}
          change={(value) => change({ show: value === 'all' ? null : value })}
          options={[
            { value: 'all', title: 'All' },
            { value: 'slow', title: 'Slow' },
            { value: 'errors', title: 'Errors' },
          ]}
        />
        <div className="filter-box">
          <Text type="search" aria-label="Operation, table or error" placeholder="operation, table or error" value={query.operation ?? ''} change={(value) => change({ operation: value })} />
        </div>
        <span className="legend">
          {Object.entries(kStageColours).map(([name, colour]) => (
            <span key={name}>
              <i style={{ background: colour }} />
              {name}
            </span>
          ))}
        </span>
      </div>
      <Loaded load={requests}>
        {(list) => {
          const wanted = own ? list : list.filter(({ operation }) => !operation.startsWith('console.'));
          const shown = wanted.filter(({ operation, table, code }) => `${operation} ${table ?? ''} ${code ?? ''}`.toLowerCase().includes(find)).slice(0, 300);
          return (
            <Card flush title={plural(shown.length, 'request')}>
              {shown.length === 0 ? (
                <Empty icon="requests" title={show === 'all' ? 'No request like that yet' : `No ${show === 'slow' ? 'slow request' : 'error'} among the last`} />
              ) : (
                <Table
                  label="Requests"
                  rows={shown}
                  rowKey={({ id }, at) => `${id} ${at}`}
                  open={({ id }) => change({ id }, true)}
                  columns={[
                    { title: 'Time', cell: ({ t }) => <span className="mono nowrap">{clock(t)}</span> },
                    { title: 'Face', cell: ({ face }) => <span className="quiet">{face}</span> },
                    { title: 'Operation', cell: ({ operation }) => <button type="button" className="cell-button">{operation}</button> },
                    { title: 'Table', cell: ({ table }) => table ?? '' },
                    { title: 'Answer', cell: ({ status, code }) => <Badge kind={status < 400 ? 'good' : 'bad'}>{code && status >= 400 ? code : status}</Badge> },
                    { title: 'Took', number: true, cell: ({ us }) => micros(us) },
                    { title: 'Stages', cell: ({ stages, us }) => <Stages stages={stages} us={us} /> },
                    { title: 'Out', number: true, cell: ({ bytesOut }) => bytes(bytesOut) },
                  ]}
                />
              )}
            </Card>
          );
        }}
      </Loaded>
      {open && <Detail request={open} close={() => change({ id: null })} />}
    </>
  );
}
