// Keys that may call, deliveries that wait or were given up, and jobs with their runs.

import { useState } from 'react';
import { type JobEntry, type JobResult, loadJobs, loadKeys, loadOutbox, retryOutbox, runJob } from '../api/operate';
import { useSession } from '../api/session';
import { ActionButton, Button, Segmented, Select } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Badge, Card, PageHead, Stats, Table } from '../components/layout';
import { Overlay } from '../components/overlay';
import { ago, count } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';

function Keys() {
  const keys = useLoad('keys', loadKeys);
  return (
    <Card title="Access keys" flush>
      <Loaded load={keys} lines={3}>
        {(answer) => {
          const list = answer.keys.map((key) => (typeof key === 'string' ? { id: key, scope: null } : key));
          if (list.length === 0) {
            return (
              <Empty icon="admin" title={answer.anyKey === false ? 'No keys' : 'Any key may call'}>
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
                  { title: 'Next', cell: ({ nextAt }) => <span className="nowrap">{nextAt ? ago(nextAt) : '–'}</span> },
                  { title: 'Last error', cell: ({ lastError }) => <span className="quiet">{lastError ?? ''}</span> },
                  {
                    title: '',
                    cell: ({ id }) => (
                      <ActionButton size="small" action={() => retry(id)} aria-label={`Try ${id} again`}>
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
  const run = async (dry: boolean) => {
    setRunning(dry ? 'dry' : 'real');
    setError(null);
    let sum: JobResult = { scanned: 0, changed: 0, skipped: 0, done: false };
    let cursor: string | null = null;
    try {
      // A call does a page; the cursor leads to the next one, so that progress can be seen.
      for (let page = 0; page < 10_000; page++) {
        const result: JobResult = await runJob(job.system, job.name, dry, cursor);
        sum = {
          scanned: (sum.scanned ?? 0) + (result.scanned ?? 0),
          changed: (sum.changed ?? 0) + (result.changed ?? 0),
          skipped: (sum.skipped ?? 0) + (result.skipped ?? 0),
          done: result.done !== false,
        };
        setTotal(sum);
        cursor = result.cursor ?? null;
        if (sum.done || !cursor) break;
      }
      if (!dry) done();
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
      <p className="quiet">A dry run reads and says what would change. {job.every ? `By itself the job runs every ${job.every}.` : 'The job runs only when somebody asks.'}</p>
      {running && <progress aria-label={`${running === 'dry' ? 'Dry run' : 'Run'} of ${job.name}`} />}
      {error && <ErrorNotice error={error} />}
      {total && (
        <Stats
          figures={[
            { title: 'Looked at', value: count(total.scanned) },
            { title: running === 'dry' ? 'Would change' : 'Changed', value: count(total.changed) },
            { title: 'Skipped', value: count(total.skipped) },
            { title: 'State', value: running ? 'running' : total.done ? 'done' : 'stopped' },
          ]}
        />
      )}
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
                { title: 'Every', cell: ({ every }) => every ?? 'when asked' },
                { title: 'Last run', cell: ({ lastRun }) => <span className="nowrap">{lastRun ? ago(lastRun) : 'not yet'}</span> },
                { title: 'State', cell: ({ state }) => <Badge kind={state === 'failed' ? 'bad' : state === 'running' ? 'accent' : ''}>{state ?? 'idle'}</Badge> },
                {
                  title: '',
                  cell: (job) => (
                    <Button size="small" icon="play" aria-label={`Run ${job.name} of ${job.system}`} onClick={() => setOpen(job)}>
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
