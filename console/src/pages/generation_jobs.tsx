// Work for the image and video providers, by state: what waits, what runs, how it ended and what it cost.

import { type Model, useModels } from '../api/models';
import { type List, change as send, read } from '../api/systems';
import { ActionButton, Button, Segmented } from '../components/controls';
import { Empty, Loaded, toast, toastError } from '../components/feedback';
import { Card, Facts, PageHead } from '../components/layout';
import { Overlay } from '../components/overlay';
import { ago, count, moment, plural } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

type Job = Record<string, unknown>;

interface Board {
  system: string;
  title: string;
  path: (status: string) => string;
  states: string[];
  id: string;
  refund?: (id: string) => string;
}

const kBoards: Board[] = [
  { system: 'figureforge', title: 'Images', path: (status) => `/admin/jobs?status=${status}&order=desc&limit=50`, states: ['queued', 'running', 'succeeded', 'failed', 'canceled'], id: 'job_id' },
  { system: 'gallery', title: 'Videos', path: (status) => `/admin/i2v/jobs?status=${status}&limit=50`, states: ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'], id: 'jobId', refund: (id) => `/admin/i2v/jobs/${id}/refund` },
];

const textOf = (job: Job) => {
  const prompt = job.prompt_json as { prompt?: string } | undefined;
  return prompt?.prompt ?? (job.request as { prompt?: string } | undefined)?.prompt ?? 'no prompt';
};
const startedOf = (job: Job) => (typeof job.created_at === 'number' ? job.created_at * 1000 : Date.parse(String(job.createdAt ?? '')));

// The states a model has come from the model; those above are the order people expect.
function statesOf(model: Model, board: Board): string[] {
  const entity = model.entities.find(({ name }) => name === (board.system === 'gallery' ? 'I2VJob' : 'GenerationJob'));
  return entity?.attributes.find(({ name }) => name === 'status')?.enum ?? board.states;
}

function Detail({ job, model, board, close, reload }: { job: Job; model: Model; board: Board; close: () => void; reload: () => void }) {
  const refund = async () => {
    try {
      await send(model, 'POST', board.refund!(String(job[board.id])), {});
      toast('Paid back');
      reload();
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Overlay kind="drawer" title={textOf(job)} close={close} foot={board.refund && /^(failed|timed_out)$/i.test(String(job.status)) ? <ActionButton action={refund}>Pay back</ActionButton> : <Button onClick={close}>Close</Button>}>
      <Facts facts={Object.entries(job).map(([name, value]): [string, string] => [name, value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value)])} />
    </Overlay>
  );
}

function Columns({ model, board }: { model: Model; board: Board }) {
  const [query, change] = useQuery();
  const states = statesOf(model, board);
  const load = useLoad(
    `jobs of ${board.system}`,
    async (signal) => Promise.all(states.map(async (state) => ({ state, list: await read<List<Job>>(model, board.path(state), signal) }))),
    5000,
  );
  const open = load.data?.flatMap(({ list }) => list.items).find((job) => job[board.id] === query.id);
  return (
    <Loaded load={load}>
      {(columns) => (
        <>
          <div className="board">
            {columns.map(({ state, list }) => (
              <section key={state} aria-label={state}>
                <h2 className="row spread">
                  {state.replaceAll('_', ' ').toLowerCase()} <span className="quiet">{count(list.items.length)}{list.cursor ? '+' : ''}</span>
                </h2>
                {list.items.map((job) => (
                  <button key={String(job[board.id])} type="button" className="card job" onClick={() => change({ id: String(job[board.id]) }, true)}>
                    <span>{textOf(job)}</span>
                    <span className="small quiet">
                      {[job.credits_charged !== undefined ? plural(job.credits_charged as number, 'credit') : '', job.count ? plural(job.count as number, 'image') : '', Number.isFinite(startedOf(job)) ? ago(startedOf(job)) : ''].filter(Boolean).join(' · ')}
                    </span>
                    <span className="small quiet mono clip">{String(job.provider_model_id ?? job.modelId ?? job[board.id])}</span>
                  </button>
                ))}
                {list.items.length === 0 && <p className="small quiet">none</p>}
              </section>
            ))}
          </div>
          {open && <Detail job={open} model={model} board={board} close={() => change({ id: null })} reload={load.reload} />}
        </>
      )}
    </Loaded>
  );
}

export function GenerationJobs() {
  const models = useModels();
  const [query, change] = useQuery();
  const boards = kBoards.filter(({ system }) => models.some(({ name }) => name === system));
  const board = boards.find(({ system }) => system === query.system) ?? boards[0];
  const model = models.find(({ name }) => name === board?.system);
  return (
    <>
      <PageHead title="Generation jobs" about={`Jobs move from left to right. A job that fails pays its credits back once. As of ${moment(Date.now()).slice(11)}.`}>
        {boards.length > 1 && board && <Segmented label="System" value={board.system} change={(system) => change({ system, id: null })} options={boards.map(({ system, title }) => ({ value: system, title }))} />}
      </PageHead>
      {board && model ? (
        <Columns key={board.system} model={model} board={board} />
      ) : (
        <Card>
          <Empty icon="spark" title="This server serves no system with generation jobs">
            <p>Start it with --systems figureforge or gallery.</p>
          </Empty>
        </Card>
      )}
    </>
  );
}
