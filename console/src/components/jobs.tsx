// Jobs of the models: when they ran, what came of it, and a run by hand, page by page.

import { useEffect, useRef, useState } from 'react';
import { type JobEntry, type JobResult, loadJobs, runJob } from '../api/operate';
import { ago, count, duration, plural } from '../lib/format';
import { useLoad } from '../lib/use_load';
import { Button, Field, Text } from './controls';
import { Empty, ErrorNotice, Loaded } from './feedback';
import { Badge, Card, Stats, Table } from './layout';
import { Overlay } from './overlay';

function JobRun({ job, close, done }: { job: JobEntry; close: () => void; done: () => void }) {
  const [total, setTotal] = useState<JobResult | null>(null);
  const [running, setRunning] = useState<'dry' | 'real' | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [dry, setDry] = useState(true);
  const [pages, setPages] = useState(0);
  const stop = useRef(false);
  const [given, setGiven] = useState<Record<string, string>>({});
  const run = async (dryRun: boolean) => {
    setDry(dryRun);
    setRunning(dryRun ? 'dry' : 'real');
    setError(null);
    setPages(0);
    stop.current = false;
    let sum: JobResult = { scanned: 0, changed: 0, skipped: 0, failed: 0, done: false };
    const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    let cursor: string | null = null;
    try {
      // A call does a page; the cursor leads to the next one, so that progress can be seen.
      for (let page = 0; page < 10_000; page++) {
        const result: JobResult = await runJob(job.system, job.name, dryRun, filled, cursor);
        sum = {
          scanned: (sum.scanned ?? 0) + (result.scanned ?? 0),
          changed: (sum.changed ?? 0) + (result.changed ?? 0),
          skipped: (sum.skipped ?? 0) + (result.skipped ?? 0),
          failed: (sum.failed ?? 0) + (result.failed ?? 0),
          firstFailure: sum.firstFailure || result.firstFailure,
          done: result.done !== false,
        };
        setTotal(sum);
        setPages(page + 1);
        cursor = result.cursor ?? null;
        if (sum.done || !cursor || stop.current) break;
      }
      if (!dryRun) done();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setRunning(null);
    }
  };
  return (
    <Overlay
      title={`${job.system}: ${job.name}`}
      close={close}
      foot={
        <>
          <Button disabled={running !== null} onClick={() => void run(true)}>
            Dry run
          </Button>
          <Button kind="primary" disabled={running !== null} onClick={() => void run(false)}>
            Run now
          </Button>
        </>
      }
    >
      <p className="quiet">A dry run reads and says what would change. {job.every ? `By itself the job runs every ${duration(job.every)}.` : 'The job runs only when somebody asks.'}</p>
      {job.inputs.length > 0 && (
        <div className="params">
          {job.inputs.map(({ name, required }) => (
            <Field key={name} label={name} optional={!required}>
              <Text value={given[name] ?? ''} change={(value) => setGiven((now) => ({ ...now, [name]: value }))} />
            </Field>
          ))}
        </div>
      )}
      {running && <progress aria-label={`${running === 'dry' ? 'Dry run' : 'Run'} of ${job.name}`} />}
      {running && (
        <p className="small quiet" role="status">
          {plural(pages, 'page')} so far.{' '}
          <Button size="small" onClick={() => (stop.current = true)}>
            Stop after this page
          </Button>
        </p>
      )}
      {error && <ErrorNotice error={error} />}
      {total && (
        <Stats
          figures={[
            { title: 'Looked at', value: count(total.scanned) },
            { title: dry ? 'Would change' : 'Changed', value: count(total.changed) },
            { title: 'Skipped', value: count(total.skipped) },
            { title: 'Failed', value: count(total.failed) },
            { title: 'State', value: running ? 'running' : total.done ? 'done' : 'stopped' },
          ]}
        />
      )}
      {total?.firstFailure && <div className="notice bad">First failure: {total.firstFailure}</div>}
    </Overlay>
  );
}

export function Jobs() {
  const [fast, setFast] = useState(false);
  const jobs = useLoad('jobs', loadJobs, fast ? 1500 : 15_000);
  const running = jobs.data?.some(({ state }) => state === 'running') ?? false;
  useEffect(() => setFast(running), [running]);
  const [open, setOpen] = useState<JobEntry | null>(null);
  return (
    <Card title="Jobs" flush>
      <Loaded load={jobs}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No model that is served has jobs" />
          ) : (
            <Table
              label="Jobs"
              rows={list}
              rowKey={({ system, name }) => `${system} ${name}`}
              columns={[
                { title: 'System', cell: ({ system }) => <span className="quiet">{system}</span> },
                { title: 'Job', cell: ({ name }) => name },
                { title: 'Every', cell: ({ every }) => (every ? duration(every) : 'when asked') },
                { title: 'Last run', cell: ({ lastRun }) => <span className="nowrap">{lastRun ? ago(lastRun) : 'not yet'}</span> },
                { title: 'Next', cell: ({ nextRun }) => <span className="nowrap quiet">{nextRun ? ago(nextRun) : '–'}</span> },
                {
                  title: 'State',
                  cell: ({ state, name, lastError }) => (
                    <span className="stack tight">
                      <span title={lastError ?? undefined}>
                        <Badge kind={state === 'failed' ? 'bad' : state === 'running' ? 'accent' : state === 'ok' ? 'good' : ''}>{state}</Badge>
                      </span>
                      {state === 'running' && <progress aria-label={`${name} is running`} />}
                      {lastError && <span className="small bad-text">{lastError}</span>}
                    </span>
                  ),
                },
                { title: 'Looked at, changed, failed', number: true, cell: ({ lastRun, scanned, changed, failed }) => (lastRun ? `${count(scanned)}, ${count(changed)}, ${count(failed)}` : '–') },
                {
                  title: '',
                  cell: (job) => (
                    <Button size="small" icon="play" aria-label={`Run… ${job.name} of ${job.system}`} onClick={() => setOpen(job)}>
                      Run…
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {open && <JobRun job={open} close={() => setOpen(null)} done={jobs.reload} />}
    </Card>
  );
}
