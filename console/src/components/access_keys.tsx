// Access keys: who may call with which rights. A new secret is shown once; the server keeps none that it could show again.

import { useState } from 'react';
import { listTables } from '../api/dynamodb';
import { type AccessKey, createKey, deleteKey, loadKeys } from '../api/operate';
import { useSession } from '../api/session';
import { moment } from '../lib/format';
import { type Right, type ScopeDraft, scopeText, scopeWords } from '../lib/scope';
import { useLoad } from '../lib/use_load';
import { Code } from './code';
import { ActionButton, Button, Field, Select, Text } from './controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from './feedback';
import { Card, Table } from './layout';
import { Overlay } from './overlay';

const kRights = [
  { value: 'admin', title: 'everything, tables and keys too' },
  { value: 'write', title: 'read and write every table' },
  { value: 'read', title: 'read every table' },
  { value: 'tables', title: 'only the tables named below' },
];

interface Fresh {
  accessKeyId: string;
  secretAccessKey: string;
}

function Secret({ fresh, close }: { fresh: Fresh; close: () => void }) {
  const { session } = useSession();
  return (
    <>
      <div className="notice warn">
        <div>
          <strong>Copy the secret now.</strong> It is shown this once.
        </div>
      </div>
      <Field label="Access key id">
        <Code text={fresh.accessKeyId} label="access key id" />
      </Field>
      <Field label="Secret access key">
        <Code text={fresh.secretAccessKey} label="secret access key" />
      </Field>
      <details>
        <summary>For a shell</summary>
        <Code text={[`export AWS_ACCESS_KEY_ID=${fresh.accessKeyId}`, `export AWS_SECRET_ACCESS_KEY=${fresh.secretAccessKey}`, session.urls.dynamodb && `export AWS_ENDPOINT_URL_DYNAMODB=${session.urls.dynamodb}`, `export AWS_REGION=${session.region}`].filter(Boolean).join('\n')} label="the key for a shell" />
      </details>
      <div className="row end">
        <Button kind="primary" onClick={close}>
          I have it
        </Button>
      </div>
    </>
  );
}

function NewKey({ isFirst, close, done }: { isFirst: boolean; close: () => void; done: () => void }) {
  const tables = useLoad('tables', listTables);
  const [name, setName] = useState('');
  const [scope, setScope] = useState<ScopeDraft>({ all: 'write', tables: {} });
  const [error, setError] = useState<Error | null>(null);
  const [fresh, setFresh] = useState<Fresh | null>(null);
  const text = scopeText(scope);
  const create = async () => {
    setError(null);
    try {
      setFresh(await createKey(name.trim(), text));
      done();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Overlay title={fresh ? 'The new key' : 'New access key'} close={close}>
      {fresh ? (
        <Secret fresh={fresh} close={close} />
      ) : (
        <>
          {isFirst && <div className="notice warn">Now any key may call. With the first key of its own the server answers only calls that are signed with one; this console goes on.</div>}
          <Field label="Name" hint="Whose it is, or what for; letters, digits, - and _.">
            <Text value={name} maxLength={64} placeholder="reporting" change={setName} />
          </Field>
          <Field label="It may">
            <Select value={scope.all} change={(all) => setScope({ ...scope, all: all as ScopeDraft['all'] })} options={kRights} />
          </Field>
          {scope.all === 'tables' && (
            <Loaded load={tables} lines={3}>
              {(list) => (
                <ul className="stack tight">
                  {list.map(({ TableName }) => (
                    <li key={TableName} className="right-line">
                      <code className="grow clip">{TableName}</code>
                      <Select
                        aria-label={`Right on ${TableName}`}
                        value={scope.tables[TableName] ?? 'none'}
                        change={(right) => setScope({ ...scope, tables: { ...scope.tables, [TableName]: right as Right } })}
                        options={[
                          { value: 'none', title: 'nothing' },
                          { value: 'read', title: 'read' },
                          { value: 'write', title: 'read and write' },
                        ]}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </Loaded>
          )}
          <p className="small quiet">
            Scope: <code>{text || 'nothing yet'}</code>
          </p>
          {error && <ErrorNotice error={error} />}
          <div className="row end">
            <Button onClick={close}>Cancel</Button>
            <ActionButton kind="primary" action={create} disabled={name.trim() === '' || text === ''}>
              Create the key
            </ActionButton>
          </div>
        </>
      )}
    </Overlay>
  );
}

function Revoke({ accessKey, close, done }: { accessKey: AccessKey; close: () => void; done: () => void }) {
  const revoke = async () => {
    try {
      await deleteKey(accessKey.id);
      toast(`${accessKey.id} may call no more`);
      done();
      close();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Overlay
      title={`Revoke ${accessKey.name ?? accessKey.id}`}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <ActionButton kind="danger primary" action={revoke}>
            Revoke the key
          </ActionButton>
        </>
      }
    >
      <p>
        Calls with <code>{accessKey.id}</code> are refused from now on. It cannot be taken back: whoever needs one gets a new key.
      </p>
    </Overlay>
  );
}

export function AccessKeys() {
  const keys = useLoad('keys', loadKeys);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<AccessKey | null>(null);
  return (
    <Card
      title="Access keys"
      flush
      actions={
        keys.data?.canCreate && (
          <Button size="small" icon="plus" onClick={() => setMaking(true)}>
            New key
          </Button>
        )
      }
    >
      {keys.data?.canCreate === false && <p className="small quiet foot">Keys are kept in a data directory, and this server has none: start it with --data to make some, or name those there are with --credentials.</p>}
      <Loaded load={keys} lines={3}>
        {(answer) =>
          answer.keys.length === 0 ? (
            <Empty icon="admin" title={answer.any ? 'Any key may call' : 'No keys'}>
              <p>{answer.any ? `This server has no keys and no credentials file, which suits a machine of one’s own.${answer.canCreate ? ' With a key it lets only signed calls in.' : ''}` : 'Nobody may call until there is a key.'}</p>
            </Empty>
          ) : (
            <Table
              label="Access keys"
              rows={answer.keys}
              rowKey={({ id }) => id}
              columns={[
                { title: 'Key id', cell: ({ id }) => <code>{id}</code> },
                { title: 'Name', cell: ({ name, profile }) => name ?? profile ?? '' },
                { title: 'May', cell: ({ scope }) => scopeWords(scope) },
                { title: 'Created', cell: ({ created }) => <span className="quiet nowrap">{created ? moment(created) : '–'}</span> },
                {
                  title: '',
                  cell: (key) =>
                    key.revocable === false ? (
                      <span className="small quiet">in the credentials file</span>
                    ) : (
                      <Button size="small" kind="danger" aria-label={`Revoke ${key.id}`} onClick={() => setRevoking(key)}>
                        Revoke
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {making && <NewKey isFirst={keys.data?.any === true} close={() => setMaking(false)} done={keys.reload} />}
      {revoking && <Revoke accessKey={revoking} close={() => setRevoking(null)} done={keys.reload} />}
    </Card>
  );
}
