// Backups of tables through the DynamoDB API: made, listed, restored to a new table, deleted.

import { useState } from 'react';
import { dynamodb, listTables } from '../api/dynamodb';
import { bytes, moment } from '../lib/format';
import { useLoad } from '../lib/use_load';
import { Snippets } from './code';
import { ActionButton, Button, Field, Select, Text } from './controls';
import { Empty, ErrorNotice, Loaded, toast } from './feedback';
import { Badge, Card, Table } from './layout';
import { Overlay } from './overlay';

interface Backup {
  TableName: string;
  BackupArn: string;
  BackupName: string;
  BackupStatus: string;
  BackupCreationDateTime: number;
  BackupSizeBytes?: number;
}

const kMostBackups = 500;

async function loadBackups(signal?: AbortSignal): Promise<Backup[]> {
  const backups: Backup[] = [];
  let start: string | undefined;
  do {
    const page = await dynamodb<{ BackupSummaries?: Backup[]; LastEvaluatedBackupArn?: string }>('ListBackups', start ? { ExclusiveStartBackupArn: start } : {}, signal);
    backups.push(...(page.BackupSummaries ?? []));
    start = page.LastEvaluatedBackupArn;
  } while (start && backups.length < kMostBackups);
  return backups.sort((a, b) => b.BackupCreationDateTime - a.BackupCreationDateTime);
}

// One request that is shown before it is sent.
function Ask({ title, operation, request, verb, danger = false, ready = true, done, close, children }: { title: string; operation: string; request: Record<string, unknown>; verb: string; danger?: boolean; ready?: boolean; done: () => void; close: () => void; children: React.ReactNode }) {
  const [error, setError] = useState<Error | null>(null);
  const send = async () => {
    setError(null);
    try {
      await dynamodb(operation, request);
      done();
      close();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Overlay
      title={title}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <ActionButton kind={danger ? 'danger primary' : 'primary'} action={send} disabled={!ready}>
            {verb}
          </ActionButton>
        </>
      }
    >
      {children}
      <Snippets operation={operation} request={request} />
      {error && <ErrorNotice error={error} />}
    </Overlay>
  );
}

const isName = (text: string) => /^[A-Za-z0-9_.-]{3,255}$/.test(text);

function NewBackup({ tables, close, done }: { tables: string[]; close: () => void; done: () => void }) {
  const [table, setTable] = useState(tables[0] ?? '');
  const [name, setName] = useState('');
  return (
    <Ask title="New backup" operation="CreateBackup" request={{ TableName: table, BackupName: name }} verb="Make the backup" ready={isName(name)} close={close} done={() => (toast(`${name} is made`), done())}>
      <Field label="Table">
        <Select value={table} change={setTable} options={tables} />
      </Field>
      <Field label="Name of the backup" hint="3 to 255 letters, digits, _ . or -">
        <Text mono placeholder="before-the-change" value={name} change={setName} />
      </Field>
    </Ask>
  );
}

function Restore({ backup, close, done }: { backup: Backup; close: () => void; done: () => void }) {
  const [target, setTarget] = useState(`${backup.TableName}-restored`);
  return (
    <Ask title={`Restore ${backup.BackupName}`} operation="RestoreTableFromBackup" request={{ TargetTableName: target, BackupArn: backup.BackupArn }} verb="Restore" ready={isName(target)} close={close} done={() => (toast(`${target} is being filled`), done())}>
      <p>The backup becomes a new table beside {backup.TableName}, with the items and indexes of {moment(backup.BackupCreationDateTime * 1000)}.</p>
      <Field label="Name of the new table">
        <Text mono value={target} change={setTarget} />
      </Field>
    </Ask>
  );
}

export function Backups() {
  const backups = useLoad('backups', loadBackups);
  const tables = useLoad('tables', listTables);
  const [open, setOpen] = useState<{ kind: 'restore' | 'delete'; backup: Backup } | 'new' | null>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title="Backups"
      flush
      actions={
        <Button size="small" icon="plus" disabled={!tables.data?.length} onClick={() => setOpen('new')}>
          New backup
        </Button>
      }
    >
      <Loaded load={backups} lines={3}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="table" title="No backups yet">
              <p>A backup keeps a table as it is now; it can be restored to a new table at any time.</p>
            </Empty>
          ) : (
            <Table
              label="Backups"
              rows={list}
              rowKey={({ BackupArn }) => BackupArn}
              columns={[
                { title: 'Name', cell: ({ BackupName }) => BackupName },
                { title: 'Table', cell: ({ TableName }) => TableName },
                { title: 'State', cell: ({ BackupStatus }) => <Badge kind={BackupStatus === 'AVAILABLE' ? 'good' : 'warn'}>{BackupStatus.toLowerCase()}</Badge> },
                { title: 'Made', cell: ({ BackupCreationDateTime }) => <span className="nowrap quiet">{moment(BackupCreationDateTime * 1000)}</span> },
                { title: 'Size', number: true, cell: ({ BackupSizeBytes }) => bytes(BackupSizeBytes) },
                {
                  title: '',
                  cell: (backup) => (
                    <span className="row end">
                      <Button size="small" aria-label={`Restore ${backup.BackupName} of ${backup.TableName}`} onClick={() => setOpen({ kind: 'restore', backup })}>
                        Restore…
                      </Button>
                      <Button size="small" kind="danger" icon="trash" aria-label={`Delete ${backup.BackupName} of ${backup.TableName}`} onClick={() => setOpen({ kind: 'delete', backup })} />
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {open === 'new' && <NewBackup tables={tables.data?.map(({ TableName }) => TableName) ?? []} close={close} done={backups.reload} />}
      {open && open !== 'new' && open.kind === 'restore' && <Restore backup={open.backup} close={close} done={tables.reload} />}
      {open && open !== 'new' && open.kind === 'delete' && (
        <Ask title={`Delete ${open.backup.BackupName}`} operation="DeleteBackup" request={{ BackupArn: open.backup.BackupArn }} verb="Delete the backup" danger close={close} done={() => (toast(`${open.backup.BackupName} is deleted`), backups.reload())}>
          <p>
            The backup of {open.backup.TableName} from {moment(open.backup.BackupCreationDateTime * 1000)} is gone for good.
          </p>
        </Ask>
      )}
    </Card>
  );
}
