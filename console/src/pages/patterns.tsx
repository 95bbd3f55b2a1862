// Access patterns as things to try: a form from their parameters, the exact requests, the answer and what it cost.

import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Answer, errorOf, exchange, query as address } from '../api/client';
import { dynamodb } from '../api/dynamodb';
import { type Explained, type Model, type Pattern, explain, useModels } from '../api/models';
import { useSession } from '../api/session';
import { Code, Snippets } from '../components/code';
import { CompareRuns, CostPanel, type Run } from '../components/cost_panel';
import { ActionButton, Button, Segmented, Select, Text } from '../components/controls';
import { EntityBadge } from '../components/entity';
import { Empty, ErrorNotice } from '../components/feedback';
import { Badge, Card, Facts, PageHead } from '../components/layout';
import { PatternForm, filledIn, isComplete } from '../components/pattern_form';
import { PatternWizard } from '../components/pattern_wizard';
import { type ReadReply, type RequestCost, costSum, requestCost } from '../lib/cost';
import { download } from '../lib/export';
import { units } from '../lib/format';
import { link, navigate, part, useQuery } from '../lib/location';
import { type SavedRead, testScript } from '../lib/saved_test';
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

// Runs the explained reads once more, asking for what they cost.
async function costOf(explained: Explained): Promise<{ requests: RequestCost[]; reads: SavedRead[] }> {
  const requests: RequestCost[] = [];
  const reads: SavedRead[] = [];
  for (const { operation, request } of explained.requests) {
    if (!['Query', 'GetItem', 'BatchGetItem', 'Scan'].includes(operation)) continue;
    const started = performance.now();
    const reply = await dynamodb<ReadReply>(operation, { ...request, ReturnConsumedCapacity: 'INDEXES' });
    requests.push(requestCost(operation, reply, performance.now() - started));
    reads.push({ operation, request, reply: { ...reply } });
  }
  return { requests, reads };
}

const kMostRuns = 6;

function Runner({ model, pattern, runs, ran, forget }: { model: Model; pattern: Pattern; runs: readonly Run[]; ran: (run: Omit<Run, 'id'>) => void; forget: () => void }) {
  const [query, change] = useQuery();
  const values = Object.fromEntries(pattern.params.map(({ name }) => [name, query[`p.${name}`] ?? '']));
  const [explained, setExplained] = useState<Explained | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [cost, setCost] = useState<RequestCost[] | null>(null);
  const [reads, setReads] = useState<SavedRead[]>([]);
  const { session } = useSession();
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
      const { requests, reads: answers } = await costOf(plan);
      setCost(requests);
      setReads(answers);
      const params = Object.entries(filledIn(values)).map(([name, value]) => `${name}=${value}`);
      ran({ pattern: pattern.name, params: params.join(' '), sum: costSum(requests), ms: reply.ms });
    });
  const saveTest = () => {
    const title = [model.name, pattern.name, ...Object.entries(filledIn(values)).map(([name, value]) => `${name}=${value}`)].join(' ');
    const target = { endpoint: session.urls.dynamodb ?? '', region: session.region };
    download(`${model.name}-${pattern.name}.test.sh`, testScript(title, reads, target, new Date().toISOString().slice(0, 10)), 'application/x-sh');
  };
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
      {cost && answer && <CostPanel requests={cost} ms={answer.ms} table={model.table.name} />}
      <CompareRuns runs={runs} clear={forget} />
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
        <Card
          title="Answer"
          actions={
            reads.length > 0 && (
              <Button size="small" icon="download" title="A script that asks this again and fails when the answer is another" onClick={saveTest}>
                Save as test
              </Button>
            )
          }
        >
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
  const [runs, setRuns] = useState<Run[]>([]);
  const [making, setMaking] = useState(false);
  const pattern = model?.patterns.find((entry) => entry.name === name) ?? (name ? undefined : model?.patterns.find(({ allow }) => allow !== 'internal'));
  return (
    <>
      <PageHead title="Access patterns" about="What a model can be asked. Explain shows the requests, Run also the answer and what it cost.">
        {model && (
          <Button icon="plus" onClick={() => setMaking(true)}>
            New pattern
          </Button>
        )}
        {model && <Select aria-label="System" value={model.name} change={(next) => navigate(`/patterns/${part(next)}`)} options={models.map((entry) => ({ value: entry.name, title: entry.title }))} />}
      </PageHead>
      {!model ? (
        <Empty icon="pattern" title="No model is served">
          <p>Start the server with --model FILE or --systems NAME; access patterns come from the model.</p>
        </Empty>
      ) : (
        <div className="split">
          <PatternList model={model} current={pattern?.name} />
          {pattern ? (
            <Runner
              key={`${model.name} ${pattern.name}`}
              model={model}
              pattern={pattern}
              runs={runs}
              ran={(run) => setRuns((now) => [...now, { ...run, id: (now.at(-1)?.id ?? 0) + 1 }].slice(-kMostRuns))}
              forget={() => setRuns([])}
            />
          ) : (
            <Empty icon="pattern" title={`${model.title} has no pattern ${name}`} />
          )}
        </div>
      )}
      {making && model && <PatternWizard model={model} close={() => setMaking(false)} />}
    </>
  );
}
