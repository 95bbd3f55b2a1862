// Access patterns as things to try: a form from their parameters, the exact requests, the answer and what it cost.

import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Answer, errorOf, exchange, query as address } from '../api/client';
import { dynamodb } from '../api/dynamodb';
import { type Explained, type Model, type Pattern, explain, useModels } from '../api/models';
import { Code, Snippets } from '../components/code';
import { ActionButton, Segmented, Select, Text } from '../components/controls';
import { EntityBadge } from '../components/entity';
import { Empty, ErrorNotice } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Stats } from '../components/layout';
import { PatternForm, filledIn, isComplete } from '../components/pattern_form';
import type { Item } from '../lib/attribute';
import { count, micros, units } from '../lib/format';
import { link, navigate, part, useQuery } from '../lib/location';
import '../styles/model.css';

function kindOf(pattern: Pattern): { title: string; kind: 'good' | 'warn' | 'accent' } {
  if (pattern.kind === 'get') return { title: 'Get', kind: 'accent' };
  if (pattern.kind === 'count') return { title: 'Count', kind: 'good' };
  if (pattern.kind === 'scan') return { title: 'Scan', kind: 'warn' };
  return { title: 'Query', kind: 'good' };
}

function PatternList({ model, current }: { model: Model; current: string | undefined }) {
  const [query, change] = useQuery();
  const find = (query.find ?? '').toLowerCase();
  const groups = useMemo(() => {
    const found = new Map<string, Pattern[]>();
    for (const pattern of model.patterns) {
      if (find && !`${pattern.name} ${pattern.id} ${pattern.entities.join(' ')}`.toLowerCase().includes(find)) continue;
      const entity = pattern.entities[0] ?? '';
      found.set(entity, [...(found.get(entity) ?? []), pattern]);
    }
    return [...found];
  }, [model, find]);
  return (
    <nav className="pattern-list stack" aria-label="Access patterns">
      <Text type="search" aria-label="Find a pattern" placeholder="find by name, row or entity" value={query.find ?? ''} change={(value) => change({ find: value })} />
      {groups.map(([entity, patterns]) => (
        <div key={entity}>
          <EntityBadge model={model} name={entity} />
          <ul>
            {patterns.map((pattern) => (
              <li key={pattern.name}>
                <Link href={link(`/patterns/${part(model.name)}/${part(pattern.name)}`, { find: query.find })} aria-current={pattern.name === current ? 'page' : undefined}>
                  <span className="grow clip">{pattern.name}</span>
                  <span className="small quiet clip">{pattern.id}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {groups.length === 0 && <p className="quiet small">No pattern is called like that.</p>}
    </nav>
  );
}

interface Cost {
  requests: { operation: string; units: number; returned: number; scanned: number }[];
}

// Runs the explained reads once more, asking for what they cost.
async function costOf(explained: Explained): Promise<Cost> {
  const requests = [];
  for (const { operation, request } of explained.requests) {
    if (!['Query', 'GetItem', 'BatchGetItem', 'Scan'].includes(operation)) continue;
    const reply = await dynamodb<{ Items?: Item[]; Item?: Item; Responses?: Record<string, Item[]>; Count?: number; ScannedCount?: number; ConsumedCapacity?: { CapacityUnits: number } | { CapacityUnits: number }[] }>(operation, {
      ...request,
      ReturnConsumedCapacity: 'TOTAL',
    });
    const capacity = [reply.ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
    const returned = reply.Count ?? (reply.Responses ? Object.values(reply.Responses).flat().length : reply.Item ? 1 : 0);
    requests.push({ operation, units: capacity, returned, scanned: reply.ScannedCount ?? returned });
  }
  return { requests };
}

function CostPanel({ cost, ms }: { cost: Cost; ms: number }) {
  const total = cost.requests.reduce((sum, request) => sum + request.units, 0);
  const scanned = cost.requests.reduce((sum, request) => sum + request.scanned, 0);
  const returned = cost.requests.reduce((sum, request) => sum + request.returned, 0);
  // On-demand reads in us-east-1: 0.125 USD a million request units.
  const price = (total * 0.125 * 10 * 2_628_000) / 1e6;
  return (
    <div className="stack">
      <Stats
        figures={[
          { title: 'Cost', value: units(total), note: 'RCU' },
          { title: 'Read, returned', value: `${count(scanned)}, ${count(returned)}` },
          { title: 'Took', value: micros(ms * 1000), note: 'in the browser' },
          { title: 'On AWS at 10 a second', value: `$${price.toFixed(price < 10 ? 2 : 0)}`, note: 'a month' },
        ]}
      />
      <div className="bar" role="img" aria-label={`${returned} of ${scanned} items that were read are returned`}>
        <i style={{ width: `${scanned ? (returned / scanned) * 100 : 0}%`, background: 'var(--accent)' }} />
        <i style={{ width: `${scanned ? 100 - (returned / scanned) * 100 : 0}%`, background: 'var(--warn)' }} />
      </div>
    </div>
  );
}

function Runner({ model, pattern }: { model: Model; pattern: Pattern }) {
  const [query, change] = useQuery();
  const values = Object.fromEntries(pattern.params.map(({ name }) => [name, query[`p.${name}`] ?? '']));
  const [explained, setExplained] = useState<Explained | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [cost, setCost] = useState<Cost | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [at, setAt] = useState(0);
  const ready = isComplete(pattern, values);

  const attempt = async (work: () => Promise<void>) => {
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const doExplain = () =>
    attempt(async () => {
      setExplained(await explain(model.name, pattern.name, filledIn(values)));
      setAt(0);
      setAnswer(null);
      setCost(null);
    });
  const run = () =>
    attempt(async () => {
      const reply = await exchange(address(pattern.path, filledIn(values)));
      setAnswer(reply);
      if (reply.status >= 400) throw errorOf(reply);
      const plan = await explain(model.name, pattern.name, filledIn(values));
      setExplained(plan);
      setCost(await costOf(plan));
    });
  const internal = pattern.allow === 'internal';
  const shown = explained?.requests[Math.min(at, explained.requests.length - 1)];
  const { title, kind } = kindOf(pattern);
  const collections = link(`/collections/${part(model.table.name)}`, {
    pattern: pattern.name,
    index: pattern.index,
    ...Object.fromEntries(Object.entries(filledIn(values)).map(([name, value]) => [`p.${name}`, value])),
  });

  return (
    <div className="stack wide">
      <Card
        title={
          <span className="row">
            {pattern.name} <Badge kind={kind}>{title}</Badge>
            {pattern.id && <Badge>{pattern.id}</Badge>}
          </span>
        }
        actions={
          <Link className="button small" href={collections}>
            In the collections
          </Link>
        }
      >
        <Facts
          facts={[
            ['Reads', <span className="row">{pattern.entities.map((name) => <EntityBadge key={name} model={model} name={name} />)}</span>],
            ['From', pattern.index ? <code>{pattern.index}</code> : 'the table'],
            ['Allowed', <code>{pattern.allow}</code>],
            ['Route', pattern.route ? <code>{pattern.route}</code> : 'none of its own'],
          ]}
        />
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void (internal ? doExplain() : run());
          }}
        >
          <PatternForm pattern={pattern} values={values} change={(name, value) => change({ [`p.${name}`]: value })} />
          <div className="row">
            {!internal && (
              <ActionButton kind="primary" icon="play" action={run} disabled={!ready}>
                Run
              </ActionButton>
            )}
            <ActionButton action={doExplain} disabled={!ready}>
              Explain
            </ActionButton>
            <span className="small quiet">{internal ? 'Internal: for jobs and C++; it has no route to run.' : 'Explain shows the requests and writes nothing.'}</span>
          </div>
        </form>
      </Card>
      {error && <ErrorNotice error={error} />}
      {cost && answer && <CostPanel cost={cost} ms={answer.ms} />}
      {explained && shown && (
        <Card
          title="Exact requests"
          actions={explained.capacity !== null && explained.capacity !== undefined && <Badge>{units(explained.capacity)} RCU in all</Badge>}
        >
          {explained.requests.length > 1 && (
            <Segmented
              label="Request"
              value={String(Math.min(at, explained.requests.length - 1))}
              change={(value) => setAt(Number(value))}
              options={explained.requests.slice(0, 12).map(({ operation, request }, number) => ({ value: String(number), title: `${number + 1}. ${operation}${request.IndexName ? ` ${String(request.IndexName)}` : ''}` }))}
            />
          )}
          <Snippets operation={shown.operation} request={shown.request} route={internal ? null : explained.route} />
        </Card>
      )}
      {answer && answer.status < 400 && (
        <Card title="Answer">
          <Code text={JSON.stringify(answer.body, null, 2)} label="answer" wrap />
        </Card>
      )}
    </div>
  );
}

export function Patterns({ params }: { params: { system?: string; pattern?: string } }) {
  const models = useModels();
  const model = models.find(({ name }) => name === params.system) ?? models[0];
  const name = params.pattern ? decodeURIComponent(params.pattern) : undefined;
  const pattern = model?.patterns.find((entry) => entry.name === name) ?? (name ? undefined : model?.patterns.find(({ allow }) => allow !== 'internal'));
  return (
    <>
      <PageHead title="Access patterns" about="What a model can be asked. Explain shows the requests, Run also the answer and what it cost.">
        {model && <Select aria-label="System" value={model.name} change={(next) => navigate(`/patterns/${part(next)}`)} options={models.map((entry) => ({ value: entry.name, title: entry.title }))} />}
      </PageHead>
      {!model ? (
        <Empty icon="pattern" title="No model is served">
          <p>Start the server with --model FILE or --systems NAME; access patterns come from the model.</p>
        </Empty>
      ) : (
        <div className="split">
          <PatternList model={model} current={pattern?.name} />
          {pattern ? <Runner key={`${model.name} ${pattern.name}`} model={model} pattern={pattern} /> : <Empty icon="pattern" title={`${model.title} has no pattern ${name}`} />}
        </div>
      )}
    </>
  );
}
