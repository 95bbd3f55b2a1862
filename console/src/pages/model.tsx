// A model: its diagram, its text with checks while typing, who asks what where, and what deploying it would change.

import { useCallback, useMemo, useRef, useState } from 'react';
import { type Model, type Problem, checkModel, loadModelText, planModel, useModels, withText } from '../api/models';
import { CopyButton } from '../components/code';
import { ActionButton, Segmented, Select } from '../components/controls';
import { CoverageMatrix } from '../components/coverage_matrix';
import { EntityDiagram } from '../components/entity_diagram';
import { Empty, ErrorNotice, Loaded } from '../components/feedback';
import { Badge, Card, PageHead, Table } from '../components/layout';
import { YamlEditor } from '../components/yaml_editor';
import { plural } from '../lib/format';
import { navigate, part, useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/model.css';

type Tab = 'diagram' | 'yaml' | 'coverage';

const kTabs: { value: Tab; title: string }[] = [
  { value: 'diagram', title: 'Diagram' },
  { value: 'yaml', title: 'YAML' },
  { value: 'coverage', title: 'Coverage' },
];

function Plan({ model, yaml }: { model: Model; yaml: string }) {
  const [lines, setLines] = useState<string[] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const plan = async () => {
    setError(null);
    try {
      setLines((await planModel(model.name, yaml === model.yaml ? undefined : yaml)).lines);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Card title="Plan" actions={<ActionButton size="small" action={plan}>What would change?</ActionButton>}>
      {error && <ErrorNotice error={error} />}
      {lines === null ? (
        <p className="quiet small">Compares this text with the table as it is. Nothing is changed: gateleg apply does that.</p>
      ) : lines.length === 0 ? (
        <p>Nothing to change: the table is as the model says.</p>
      ) : (
        <ul className="plan">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function YamlTab({ model }: { model: Model }) {
  const text = useRef(model.yaml);
  const [changed, setChanged] = useState(false);
  const [problems, setProblems] = useState<Problem[] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [goTo, setGoTo] = useState<{ line: number; column: number } | null>(null);
  const check = useCallback(async (yaml: string, signal: AbortSignal) => {
    try {
      const answer = await checkModel(model.name, yaml, signal);
      setProblems(answer.problems);
      setError(null);
      return answer.problems;
    } catch (failure) {
      if (!signal.aborted) setError(failure as Error);
      return [];
    }
  }, [model.name]);
  const count = (severity: string) => problems?.filter((problem) => problem.severity === severity).length ?? 0;
  return (
    <>
      <Card
        flush
        title={
          <span className="row">
            model.yaml
            {changed && <Badge kind="warn">changed here, not saved</Badge>}
            {problems && (problems.length === 0 ? <Badge kind="good">no findings</Badge> : <Badge kind={count('error') > 0 ? 'bad' : 'warn'}>{plural(problems.length, 'finding')}</Badge>)}
          </span>
        }
        actions={<CopyButton text={text.current} label="Copy the model" />}
      >
        <YamlEditor
          text={model.yaml}
          goTo={goTo}
          check={check}
          change={(next) => {
            text.current = next;
            setChanged(next !== model.yaml);
          }}
        />
      </Card>
      {error && <ErrorNotice error={error} />}
      {problems && problems.length > 0 && (
        <Card title="Findings" flush>
          <Table
            label="Findings"
            rows={problems}
            rowKey={({ line, column, rule }, at) => `${line}:${column}:${rule}:${at}`}
            open={({ line, column }) => setGoTo({ line, column })}
            columns={[
              { title: 'Line', number: true, cell: ({ line, column }) => <button type="button" className="cell-button mono">{`${line}:${column}`}</button> },
              { title: 'Level', cell: ({ severity }) => <Badge kind={severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : ''}>{severity}</Badge> },
              { title: 'Rule', cell: ({ rule }) => <code>{rule}</code> },
              { title: 'What', cell: ({ message, suggestion }) => (suggestion ? `${message}. ${suggestion}` : message) },
            ]}
          />
        </Card>
      )}
      <Plan model={model} yaml={text.current} />
    </>
  );
}

export function ModelPage({ params }: { params: { system?: string } }) {
  const models = useModels();
  const [query, change] = useQuery();
  const model = models.find(({ name }) => name === params.system) ?? models[0];
  const text = useLoad(model ? `text of ${model.name}` : null, (signal) => loadModelText(model!, signal));
  const whole = useMemo(() => (model && text.data !== undefined ? withText(model, text.data) : null), [model, text.data]);
  const tab = (kTabs.find(({ value }) => value === query.tab)?.value ?? 'diagram') as Tab;
  if (!model) {
    return (
      <>
        <PageHead title="Model" />
        <Empty icon="model" title="No model is served">
          <p>Start the server with --model FILE or --systems NAME. docs/model-language.md begins with a small one.</p>
        </Empty>
      </>
    );
  }
  const own = model.entities.filter(({ builtIn }) => !builtIn).length;
  return (
    <>
      <PageHead
        title={`Model: ${model.title}`}
        about={`${plural(own, 'entity', 'entities')}, ${plural(model.patterns.length, 'access pattern')}, ${plural(model.operations.length, 'operation')}, ${plural(model.jobs.length, 'job')} on the table ${model.table.name}`}
      >
        <Select aria-label="System" value={model.name} change={(next) => navigate(`/model/${part(next)}?tab=${tab}`)} options={models.map((entry) => ({ value: entry.name, title: entry.title }))} />
        <Segmented label="View" value={tab} change={(next) => change({ tab: next })} options={kTabs} />
      </PageHead>
      {tab === 'coverage' ? (
        <Card flush title="Entities, where they lie and who asks" actions={<span className="small quiet">a number: patterns that ask · ○ in it, nobody asks</span>}>
          <CoverageMatrix model={model} />
        </Card>
      ) : (
        <Loaded load={text} lines={12}>
          {() => whole && (tab === 'diagram' ? <EntityDiagram model={whole} /> : <YamlTab key={model.name} model={whole} />)}
        </Loaded>
      )}
    </>
  );
}
