// Every route of the systems API, from /openapi.json, to read and to try.

import { useMemo, useState } from 'react';
import { type Answer, exchange, query as address } from '../api/client';
import { type Endpoint, exampleOf, loadEndpoints, schemaText } from '../api/open_api';
import { useSession } from '../api/session';
import { Code } from '../components/code';
import { ActionButton, Field, Select, Text } from '../components/controls';
import { Empty, Loaded } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Table } from '../components/layout';
import { link, useQuery } from '../lib/location';
import { restCurl } from '../lib/snippets';
import { useLoad } from '../lib/use_load';
import '../styles/model.css';

// A long route breaks before its slashes.
const broken = (path: string) => path.split(/(?=\/)/).map((piece, at) => [at > 0 && <wbr key={at} />, piece]);

const kMethodKind: Record<string, 'good' | 'accent' | 'warn' | 'bad'> = { GET: 'good', POST: 'accent', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

function Try({ endpoint }: { endpoint: Endpoint }) {
  const { session } = useSession();
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() => (endpoint.body ? JSON.stringify(exampleOf(endpoint.body), null, 2) : ''));
  const [answer, setAnswer] = useState<Answer | null>(null);
  const set = (name: string, value: string) => setValues((now) => ({ ...now, [name]: value }));
  const inPath = endpoint.parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = endpoint.parameters.filter((parameter) => parameter.in === 'query');
  const inHeader = endpoint.parameters.filter((parameter) => parameter.in === 'header');
  const path = inPath.reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name] ?? '')), endpoint.path);
  const url = address(path, Object.fromEntries(inQuery.map(({ name }) => [name, values[name]])));
  const sends = endpoint.body && endpoint.method !== 'GET' && endpoint.method !== 'DELETE';
  const send = async () => {
    const headers = Object.fromEntries(inHeader.filter(({ name }) => values[name]).map(({ name }) => [name, values[name]!]));
    try {
      setAnswer(await exchange(url, { method: endpoint.method, headers, ...(sends ? { body } : {}) }));
    } catch (error) {
      setAnswer({ status: 0, text: (error as Error).message, body: null, headers: new Headers(), ms: 0 });
    }
  };
  const complete = inPath.every(({ name }) => values[name]);
  return (
    <Card title="Try it" actions={<span className="small quiet">as this console’s session, which has every role</span>}>
      {endpoint.parameters.length > 0 && (
        <div className="params">
          {[...inPath, ...inQuery, ...inHeader].map(({ name, required, schema }) => (
            <Field key={name} label={name} optional={!required}>
              {schema.enum ? (
                <Select value={values[name] ?? ''} change={(value) => set(name, value)} options={[{ value: '', title: 'choose' }, ...schema.enum.map((value) => ({ value: String(value), title: String(value) }))]} />
              ) : (
                <Text mono value={values[name] ?? ''} change={(value) => set(name, value)} />
              )}
            </Field>
          ))}
        </div>
      )}
      {sends && (
        <Field label="Body">
          <textarea className="mono" rows={7} spellCheck={false} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
        </Field>
      )}
      <Code text={restCurl(`${session.urls.http ?? location.origin}${url}`, endpoint.method, sends ? body : undefined)} label="call with curl" />
      <div className="row">
        <ActionButton kind={endpoint.method === 'DELETE' ? 'danger primary' : 'primary'} icon="play" action={send} disabled={!complete}>
          Send
        </ActionButton>
        {!complete && <span className="small quiet">Fill in what the path needs.</span>}
      </div>
      {answer && (
        <div className="stack tight" aria-live="polite">
          <div className="row">
            <Badge kind={answer.status > 0 && answer.status < 400 ? 'good' : 'bad'}>{answer.status || 'no answer'}</Badge>
            <span className="small quiet">
              {Math.round(answer.ms)} ms {answer.headers.get('x-request-id') ? `· request ${answer.headers.get('x-request-id')}` : ''}
            </span>
          </div>
          <Code text={answer.body === null ? answer.text || '(empty)' : JSON.stringify(answer.body, null, 2)} label="answer" wrap />
        </div>
      )}
    </Card>
  );
}

function Detail({ endpoint }: { endpoint: Endpoint }) {
  const fields = Object.entries(endpoint.body?.properties ?? {});
  return (
    <div className="stack wide">
      <Card
        title={
          <span className="row">
            <Badge kind={kMethodKind[endpoint.method] ?? ''}>{endpoint.method}</Badge>
            <code>{endpoint.path}</code>
          </span>
        }
      >
        <Facts
          facts={[
            ['Name', endpoint.id],
            ...(endpoint.description ? ([['About', endpoint.description]] as [string, string][]) : []),
          ]}
        />
        {fields.length > 0 && (
          <Table
            label="Fields of the body"
            rows={fields}
            rowKey={([name]) => name}
            columns={[
              { title: 'Body field', cell: ([name]) => <code>{name}</code> },
              { title: 'What', cell: ([, schema]) => schemaText(schema) },
              { title: 'Needed', cell: ([name]) => (endpoint.body?.required?.includes(name) ? 'yes' : '') },
            ]}
          />
        )}
        <Table
          label="Answers"
          rows={endpoint.responses}
          rowKey={({ status }) => status}
          columns={[
            { title: 'Answer', cell: ({ status }) => <Badge kind={status < '4' ? 'good' : 'warn'}>{status}</Badge> },
            { title: 'When', cell: ({ description }) => description },
            { title: 'Body', cell: ({ schema }) => <span className="quiet">{schemaText(schema)}</span> },
          ]}
        />
      </Card>
      <Try key={endpoint.id} endpoint={endpoint} />
    </div>
  );
}

function Reference({ endpoints }: { endpoints: Endpoint[] }) {
  const [query, change] = useQuery();
  const tags = useMemo(() => [...new Set(endpoints.map(({ tag }) => tag))], [endpoints]);
  const tag = tags.includes(query.system ?? '') ? query.system! : tags[0]!;
  const find = (query.find ?? '').toLowerCase();
  const shown = endpoints.filter((endpoint) => endpoint.tag === tag && `${endpoint.method} ${endpoint.path} ${endpoint.id}`.toLowerCase().includes(find));
  const current = endpoints.find(({ id }) => id === query.call) ?? shown[0];
  return (
    <div className="split">
      <nav className="pattern-list stack" aria-label="Routes">
        <Select aria-label="System" value={tag} change={(system) => change({ system, call: null })} options={tags} />
        <Text type="search" aria-label="Find a route" placeholder="find a route" value={query.find ?? ''} change={(value) => change({ find: value })} />
        <ul>
          {shown.map((endpoint) => (
            <li key={`${endpoint.method} ${endpoint.path} ${endpoint.id}`}>
              <a href={`#${link('/api', { system: tag, find: query.find, call: endpoint.id })}`} aria-current={endpoint === current ? 'page' : undefined}>
                <span className={`method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</span>
                <span className="mono grow route">{broken(endpoint.path.replace(/^\/v1\/[^/]+/, '') || '/')}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {current ? <Detail endpoint={current} /> : <Empty icon="api" title="No route like that" />}
    </div>
  );
}

export function ApiReference() {
  const endpoints = useLoad('openapi', loadEndpoints);
  return (
    <>
      <PageHead
        title="API"
        about={
          <>
            The systems API under /v1. The same as a file: <a href="/openapi.json">openapi.json</a>; as a page without the console: <a href="/docs">/docs</a>.
          </>
        }
      />
      <Loaded load={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="api" title="No model is served, so there are no routes">
              <p>Start the server with --model FILE or --systems NAME.</p>
            </Empty>
          ) : (
            <Reference endpoints={list} />
          )
        }
      </Loaded>
    </>
  );
}
