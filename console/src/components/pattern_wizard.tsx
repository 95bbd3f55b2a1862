// From a question that has no access pattern yet to an index that answers it: keys worked out, tried, written, and the
// index made. The model's text comes out at the end, for it stays a file of whoever keeps it.

import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type TableDescription, describeTable, dynamodb } from '../api/dynamodb';
import { type BackfillPage, type Model, type Problem, backfillModel, checkModel, loadModelText } from '../api/models';
import { useSession } from '../api/session';
import { download } from '../lib/export';
import { count, plural } from '../lib/format';
import { link, part } from '../lib/location';
import { type Wanted, addedLines, answering, indexRequest, keyableOf, patternName, suggest, withPattern } from '../lib/new_pattern';
import { isReady } from '../lib/table_draft';
import { useLoad } from '../lib/use_load';
import { Code, Snippets } from './code';
import { ActionButton, Button, Field, Select, Text } from './controls';
import { EntityBadge } from './entity';
import { ErrorNotice, Loaded } from './feedback';
import { Stats } from './layout';
import { Overlay } from './overlay';

interface Draft {
  wanted: Wanted;
  yaml: string;
  isNew: boolean;
  index: string;
  request: Record<string, unknown>;
}

// What is asked, and what would answer it.
function Ask({ model, text, table, next, close }: { model: Model; text: string; table: TableDescription; next: (draft: Draft) => void; close: () => void }) {
  const entities = model.entities.filter((entity) => !entity.builtIn && keyableOf(entity).length > 0);
  const [name, setName] = useState(entities[0]?.name ?? '');
  const [by, setBy] = useState<string[]>([]);
  const [sort, setSort] = useState('');
  const [title, setTitle] = useState('');
  const entity = entities.find((each) => each.name === name);
  const attributes = entity ? keyableOf(entity) : [];
  const wanted: Wanted = { name: title.trim() || patternName({ entity: name, by }), entity: name, by, sort: sort || null };
  const key = JSON.stringify(wanted);
  const there = answering(model, wanted);
  const found = useMemo(() => {
    const suggestion = suggest(model, wanted);
    if (!suggestion) return null;
    try {
      return { suggestion, yaml: withPattern(text, wanted, suggestion), error: null };
    } catch (error) {
      return { suggestion, yaml: '', error: error as Error };
    }
  }, [key, text]);
  const checked = useLoad(found?.yaml ? `check ${model.name} ${key}` : null, async (signal) => (await checkModel(model.name, found!.yaml, signal)).problems);
  const before = useLoad(`check before ${model.name}`, async (signal) => (await checkModel(model.name, text, signal)).problems);
  // Findings that the model has anyway are not ours.
  const known = new Set(before.data?.map(({ rule, message }) => `${rule} ${message}`));
  const problems: Problem[] = checked.data?.filter(({ rule, message }) => !known.has(`${rule} ${message}`)) ?? [];
  const wrong = problems.some(({ severity }) => severity === 'error');
  const { suggestion } = found ?? {};
  return (
    <>
      <div className="params">
        <Field label="Items of">
          <Select
            value={name}
            change={(value) => {
              setName(value);
              setBy([]);
              setSort('');
            }}
            options={entities.map((each) => each.name)}
          />
        </Field>
        <Field label="In the order of">
          <Select value={sort} change={setSort} options={[{ value: '', title: 'the table' }, ...attributes.filter((each) => !by.includes(each))]} />
        </Field>
        <Field label="Name of the pattern">
          <Text value={title} placeholder={by.length > 0 ? wanted.name : ''} change={setTitle} mono />
        </Field>
      </div>
      <fieldset className="by-attributes">
        <legend>Found by</legend>
        {attributes.map((each) => (
          <label key={each} className="row tight">
            <input type="checkbox" checked={by.includes(each)} onChange={(event) => setBy(event.currentTarget.checked ? [...by, each] : by.filter((other) => other !== each))} />
            <code>{each}</code>
          </label>
        ))}
      </fieldset>
      {there && (
        <div className="notice warn">
          <div>
            <strong>{there.name}</strong> answers this already. <Link href={`/patterns/${part(model.name)}/${part(there.name)}`}>Open it</Link>
          </div>
        </div>
      )}
      {suggestion && (
        <section className="stack tight" aria-label="Suggestion">
          <p>
            {suggestion.isNew ? (
              <>
                A new index <code>{suggestion.index.name}</code>: items come into it by keys of their own.
              </>
            ) : (
              <>
                No <EntityBadge model={model} name={name} /> is in <code>{suggestion.index.name}</code> yet: with keys of its own it has room there, and the table stays as it is.
              </>
            )}
          </p>
          {found?.yaml && <Code text={addedLines(text, found.yaml).map((line) => `+ ${line}`).join('\n')} label="what the model gets" />}
          {found?.error && <ErrorNotice error={found.error} />}
          {problems.map(({ rule, message, severity, suggestion: advice }) => (
            <div key={`${rule} ${message}`} className={`notice ${severity === 'error' ? 'bad' : 'warn'}`}>
              <div>
                <strong>{rule}</strong> {message}
                {advice ? `. ${advice}` : ''}
              </div>
            </div>
          ))}
        </section>
      )}
      {checked.error && <ErrorNotice error={checked.error} />}
      <div className="row end">
        <Button onClick={close}>Cancel</Button>
        <Button
          kind="primary"
          disabled={!suggestion || !found?.yaml || checked.data === undefined || before.data === undefined || wrong}
          onClick={() => suggestion && found && next({ wanted, yaml: found.yaml, isNew: suggestion.isNew, index: suggestion.index.name, request: indexRequest(table.TableName, table.AttributeDefinitions, suggestion.index) })}
        >
          Dry run
        </Button>
      </div>
    </>
  );
}

interface RunState {
  page: BackfillPage | null;
  running: boolean;
  error: Error | null;
}

// A run over the whole table, a page a call.
function useBackfill(model: Model, draft: Draft, dryRun: boolean) {
  const [state, setState] = useState<RunState>({ page: null, running: false, error: null });
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);
  const run = async () => {
    setState({ page: null, running: true, error: null });
    let cursor: string | null = null;
    try {
      do {
        const page: BackfillPage = await backfillModel(model.name, { yaml: draft.yaml, entity: draft.wanted.entity, dryRun, ...(cursor ? { cursor } : {}) });
        if (gone.current) return;
        cursor = page.cursor;
        setState(({ page: last }) => ({ page: { ...page, problems: [...(last?.problems ?? []), ...page.problems].slice(0, 20) }, running: !page.done, error: null }));
      } while (cursor);
    } catch (error) {
      if (!gone.current) setState((now) => ({ ...now, running: false, error: error as Error }));
    }
  };
  return { ...state, run };
}

function Figures({ page, running, dryRun, total, entity }: { page: BackfillPage; running: boolean; dryRun: boolean; total: number; entity: string }) {
  return (
    <>
      {running && <progress aria-label={dryRun ? 'Dry run' : 'Writing keys'} value={page.scanned} max={Math.max(total, page.scanned, 1)} />}
      <Stats
        figures={[
          { title: 'Looked at', value: count(page.scanned) },
          { title: entity, value: count(page.matched) },
          { title: dryRun ? 'Would get keys' : 'Got keys', value: count(page.changed) },
          { title: 'Cannot', value: count(page.failed + page.contended) },
          { title: 'State', value: running ? 'running' : page.done ? 'done' : 'stopped' },
        ]}
      />
      {page.problems.length > 0 && <Code text={page.problems.map(({ key, message }) => `${JSON.stringify(key)}: ${message}`).join('\n')} label="items that stay as they are" />}
    </>
  );
}

function Work({ model, draft, table, changed }: { model: Model; draft: Draft; table: TableDescription; changed: () => void }) {
  const { session } = useSession();
  const dry = useBackfill(model, draft, true);
  const real = useBackfill(model, draft, false);
  const [made, setMade] = useState<'no' | 'building' | 'yes'>('no');
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => void dry.run(), []);
  const create = async () => {
    setError(null);
    try {
      await dynamodb('UpdateTable', draft.request);
      setMade('building');
      while (!isReady(await describeTable(table.TableName))) await new Promise((resolve) => setTimeout(resolve, 400));
      setMade('yes');
      changed();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const written = real.page?.done === true;
  const finished = written && (!draft.isNew || made === 'yes');
  const shared = { total: table.ItemCount, entity: draft.wanted.entity };
  return (
    <ol className="wizard stack">
      <li className="stack tight">
        <h3>Dry run</h3>
        <p className="small quiet">Every item is read and its keys are worked out; nothing is written.</p>
        {dry.page && <Figures {...shared} page={dry.page} running={dry.running} dryRun />}
        {dry.error && <ErrorNotice error={dry.error} retry={() => void dry.run()} />}
      </li>
      {dry.page?.done && (
        <li className="stack tight">
          <h3>Write the keys</h3>
          <p className="small quiet">Only keys are added, each only while its item is still as it was read. It may be broken off and repeated.</p>
          {session.readOnly && <div className="notice warn">This session only reads. Switch it at the top to change data.</div>}
          {real.page && <Figures {...shared} page={real.page} running={real.running} dryRun={false} />}
          {real.error && <ErrorNotice error={real.error} />}
          {!written && (
            <div className="row">
              <ActionButton kind="primary" action={real.run} disabled={real.running}>
                {dry.page.changed === 0 ? 'Go on: every item has its keys' : `Write the keys of ${plural(dry.page.changed, 'item')}`}
              </ActionButton>
            </div>
          )}
        </li>
      )}
      {written && draft.isNew && (
        <li className="stack tight">
          <h3>Create the index</h3>
          <Snippets operation="UpdateTable" request={draft.request} />
          {made === 'building' && <progress aria-label="The index is built" />}
          {error && <ErrorNotice error={error} />}
          {made === 'yes' ? (
            <p role="status">
              <code>{draft.index}</code> is active.
            </p>
          ) : (
            <div className="row">
              <ActionButton kind="primary" action={create}>
                Create the index
              </ActionButton>
            </div>
          )}
        </li>
      )}
      {finished && (
        <li className="stack tight">
          <h3>Serve the model</h3>
          <p>
            What is written from now on gets its keys when the server runs with the changed model: save it, start <code>gateleg serve --model FILE</code>, then run <code>gateleg backfill</code> once more for what came in between.
          </p>
          <div className="row">
            <Button icon="download" onClick={() => download(`${model.name}.yaml`, draft.yaml, 'application/yaml')}>
              Save the model
            </Button>
            <Link className="button" href={link(`/collections/${part(table.TableName)}`, { index: draft.index })}>
              See {draft.index} in Item collections
            </Link>
          </div>
        </li>
      )}
    </ol>
  );
}

export function PatternWizard({ model, close }: { model: Model; close: () => void }) {
  const text = useLoad(`text of ${model.name}`, (signal) => loadModelText(model, signal));
  const table = useLoad(`table ${model.table.name}`, (signal) => describeTable(model.table.name, signal));
  const [draft, setDraft] = useState<Draft | null>(null);
  return (
    <Overlay title={draft ? draft.wanted.name : 'New access pattern'} close={close} kind="modal wide">
      <Loaded load={table} lines={4}>
        {(description) => (
          <Loaded load={text} lines={4}>
            {(yaml) => (draft ? <Work model={model} draft={draft} table={description} changed={table.reload} /> : <Ask model={model} text={yaml} table={description} next={setDraft} close={close} />)}
          </Loaded>
        )}
      </Loaded>
    </Overlay>
  );
}
