// Keys that may call, backups, deliveries that wait or were given up, and jobs with their runs.

import { loadOutbox, retryOutbox } from '../api/operate';
import { useSession } from '../api/session';
import { AccessKeys } from '../components/access_keys';
import { Backups } from '../components/backups';
import { ActionButton, Segmented, Select } from '../components/controls';
import { Empty, Loaded, toast, toastError } from '../components/feedback';
import { Jobs } from '../components/jobs';
import { Card, PageHead, Table } from '../components/layout';
import { ago, count } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';

const kStatuses = [
  { value: 'pending', title: 'Waiting' },
  { value: 'dead', title: 'Given up' },
  { value: 'done', title: 'Delivered' },
] as const;

function Outbox() {
  const { session } = useSession();
  const [query, change] = useQuery();
  const system = session.systems.includes(query.system ?? '') ? query.system! : (session.systems[0] ?? '');
  const status = kStatuses.find(({ value }) => value === query.status)?.value ?? 'pending';
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
              <Empty icon="check" title={{ dead: 'Nothing was given up', pending: 'Nothing waits', done: 'Nothing was delivered in the last three days' }[status]} />
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
                  ...(status === 'done' ? [] : [{
                    title: '',
                    cell: ({ id }: { id: string }) => (
                      <ActionButton size="small" action={() => retry(id)} aria-label={`Try again: ${id}`}>
                        Try again
                      </ActionButton>
                    ),
                  }]),
                ]}
              />
            )
          }
        </Loaded>
      )}
    </Card>
  );
}

export function Admin() {
  return (
    <>
      <PageHead title="Admin" about="Who may call, what can be brought back, what still has to be delivered, and what runs by itself." />
      <AccessKeys />
      <Backups />
      <Outbox />
      <Jobs />
    </>
  );
}
