// Keys that may call, deliveries that wait or were given up, and jobs with their runs.

import { useState } from 'react';
import { type JobEntry, type JobResult, loadJobs, loadKeys, loadOutbox, retryOutbox, runJob } from '../api/operate';
import { useSession } from '../api/session';
import { ActionButton, Button, Field, Segmented, Select, Text } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Badge, Card, PageHead, Stats, Table } from '../components/layout';
import { Overlay } from '../components/overlay';
import { ago, count, duration } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';

function Keys() {
  const keys = useLoad('keys', loadKeys);
  return (
    <Card title="Access keys" flush>
      <Loaded load={keys} lines={3}>
        {(answer) => {
          const list = answer.keys;
          if (list.length === 0) {
            return (
              <Empty icon="admin" title={answer.any ? 'Any key may call' : 'No keys'}>
                <p>This server was started without --credentials, which suits a machine of one’s own. Give it a credentials file to let only its keys in.</p>
              </Empty>
            );
          }
          return (
            <Table
              label="Access keys"
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                { title: 'Key id', cell: ({ id }) => <code>{id}</code> },
                { title: 'Profile', cell: ({ profile }) => profile ?? '' },
                { title: 'May', cell: ({ scope }) => scope ?? 'everything' },
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}

const kStatuses = [
  { value: 'pending', title: 'Waiting' },
  { value: 'dead', title: 'Given up' },
] as const;

function Outbox() {
  const { session } = useSession();
  const [query, change] = useQuery();
  const system = session.systems.includes(query.system ?? '') ? query.system! : (session.systems[0] ?? '');
  const status = query.status === 'dead' ? 'dead' : 'pending';
  const rows = useLoad(system ? `outbox ${system} ${status}` : null, (signal) => loadOutbox(system, status, signal), 10_000);
  const retry = async (id: string) => {
    try {
      await retryOutbox(system, id);
      toast('It is tried again');
      rows.reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Card
      title="Outbox"
      flush
      actions={
        <>
          <Select aria-label="System" value={system} change={(value) => change({ system: value })} options={session.systems} />
          <Segmented label="State" value={status} change={(value) => change({ status: value })} options={kStatuses} />
        </>
      }
    >
      {!system ? (
        <Empty title="No system is served" />
      ) : (
        <Loaded load={rows} lines={3}>
          {(list) =>
            list.length === 0 ? (
              <Empty icon="check" title={status === 'dead' ? 'Nothing was given up' : 'Nothing waits'} />
            ) : (
              <Table
                label="Outbox"
                rows={list}
                rowKey={({ id }) => id}
                columns={[
                  { title: 'Kind', cell: ({ kind }) => kind },
                  { title: 'Id', cell: ({ id }) => <code>{id}</code> },
                  { title: 'Tries', number: true, cell: ({ attempts }) => count(attempts) },
                  { title: 'Next', cell: ({ nextAttemptAt }) => <span className="nowrap">{nextAttemptAt ? ago(nextAttemptAt) : '–'}</span> },
                  { title: 'Last error', cell: ({ lastError }) => <span className="quiet">{lastError ?? ''}</span> },
                  {
                    title: '',
                    cell: ({ id }) => (
                      <ActionButton size="small" action={() => retry(id)} aria-label={`Try again: ${id}`}>
                        Try again
                      </ActionButton>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      )}
    </Card>
  );
}

function JobRun({ job, close, done }: { job: JobEntry; close: () => void; done: () => void }) {
  const [total, setTotal] = useState<JobResult | null>(null);
  const [running, setRunning] = useState<'dry' | 'real' | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [dry, setDry] = useState(true);
  const [given, setGiven] = useState<Record<string, string>>({});
  const run = async (dryRun: boolean) => {
    setDry(dryRun);
    setRunning(dryRun ? 'dry' : 'real');
    setError(null);
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
        cursor = result.cursor ?? null;
        if (sum.done || !cursor) break;
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

function Jobs() {
  const jobs = useLoad('jobs', loadJobs, 15_000);
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
                { title: 'State', cell: ({ state }) => <Badge kind={state === 'failed' ? 'bad' : state === 'running' ? 'accent' : state === 'ok' ? 'good' : ''}>{state}</Badge> },
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

export function Admin() {
  return (
    <>
      <PageHead title="Admin" about="Who may call, what still has to be delivered, and what runs by itself." />
      <Outbox />
      <Jobs />
      <Keys />
    </>
  );
}
