// People of the gallery: who they are, what they may, and a way to change that.

import { useState } from 'react';
import type { Model } from '../api/models';
import { type List, change as send, newKey, read } from '../api/systems';
import { ActionButton, Button, Field, Select, Text } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast } from '../components/feedback';
import { Badge, Card, Facts, PageHead, Table } from '../components/layout';
import { NeedsSystem } from '../components/needs_system';
import { Overlay } from '../components/overlay';
import { ago, count, moment, plural } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

interface User {
  userId: string;
  username: string;
  email: string;
  role: string;
  plan: string;
  isActive: boolean;
  isEmailVerified: boolean;
  createdAt: string;
  lastActive?: string;
  followerCount?: number;
  followingCount?: number;
  pscBalance?: number;
  i2vCreditsSecondsFromPlan?: number;
  i2vCreditsSecondsPurchased?: number;
}

function Detail({ model, user, close, reload }: { model: Model; user: User; close: () => void; reload: () => void }) {
  const [role, setRole] = useState(user.role);
  const [reason, setReason] = useState('');
  const [bonus, setBonus] = useState('100');
  const [error, setError] = useState<Error | null>(null);
  const [key, setKey] = useState(newKey);
  const path = `/admin/users/${encodeURIComponent(user.userId)}`;
  const why = reason.trim() ? { reason: reason.trim() } : {};
  const attempt = async (work: () => Promise<unknown>, done: string) => {
    setError(null);
    try {
      await work();
      toast(done);
      setKey(newKey());
      reload();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Overlay kind="drawer" title={user.username} close={close}>
      <Facts
        facts={[
          ['Email', `${user.email}${user.isEmailVerified ? '' : ' (not verified)'}`],
          ['Id', user.userId],
          ['Role', user.role],
          ['Plan', user.plan],
          ['State', user.isActive ? 'active' : 'deactivated'],
          ['Joined', moment(user.createdAt)],
          ['Last seen', user.lastActive ? moment(user.lastActive) : '–'],
          ['Followers, following', `${count(user.followerCount ?? 0)}, ${count(user.followingCount ?? 0)}`],
          ['Coins', count(user.pscBalance ?? 0)],
          ['Video seconds', `${count(user.i2vCreditsSecondsFromPlan ?? 0)} of the plan, ${count(user.i2vCreditsSecondsPurchased ?? 0)} bought`],
        ]}
      />
      {error && <ErrorNotice error={error} />}
      <section className="stack">
        <h3>Change</h3>
        <Field label="Reason" optional hint="It stands in the audit.">
          <Text value={reason} change={setReason} />
        </Field>
        <div className="keys-bar">
          <Field label="Role">
            <Select value={role} change={setRole} options={['user', 'moderator', 'admin']} />
          </Field>
          <ActionButton disabled={role === user.role} action={() => attempt(() => send(model, 'PUT', `${path}/role`, { role, ...why }), `${user.username} is now ${role}`)}>
            Set role
          </ActionButton>
        </div>
        <div className="keys-bar">
          <Field label="Coins to give">
            <Text type="number" min={1} value={bonus} change={setBonus} />
          </Field>
          <ActionButton disabled={!(Number(bonus) > 0)} action={() => attempt(() => send(model, 'POST', `${path}/bonus`, { amount: Number(bonus), ...why }, key), `${bonus} coins given`)}>
            Give
          </ActionButton>
        </div>
        <div>
          <ActionButton
            kind={user.isActive ? 'danger' : ''}
            action={() => attempt(() => send(model, 'PUT', `${path}/active`, { isActive: !user.isActive, ...why }), user.isActive ? 'Deactivated' : 'Active again')}
          >
            {user.isActive ? 'Deactivate the account' : 'Activate the account'}
          </ActionButton>
        </div>
      </section>
    </Overlay>
  );
}

function UserList({ model }: { model: Model }) {
  const [query, change] = useQuery();
  const users = useLoad('gallery users', (signal) => read<List<User>>(model, '/admin/users?limit=100', signal));
  const find = (query.find ?? '').toLowerCase();
  const open = users.data?.items.find(({ userId }) => userId === query.id);
  return (
    <>
      <PageHead title="Users" about="Accounts of the gallery. What is changed here is written to the audit with your reason.">
        <div className="filter-box">
          <Text type="search" aria-label="Name or email" placeholder="name or email" value={query.find ?? ''} change={(value) => change({ find: value })} />
        </div>
        <Button icon="refresh" onClick={users.reload}>
          Refresh
        </Button>
      </PageHead>
      <Loaded load={users}>
        {({ items, cursor }) => {
          const shown = items.filter(({ username, email, userId }) => `${username} ${email} ${userId}`.toLowerCase().includes(find));
          return (
            <Card flush title={`${plural(shown.length, 'account')}${cursor ? ' of the first hundred' : ''}`}>
              {shown.length === 0 ? (
                <Empty icon="users" title={find ? 'Nobody is called like that' : 'Nobody has signed up yet'} />
              ) : (
                <Table
                  label="Users"
                  rows={shown}
                  rowKey={({ userId }) => userId}
                  open={({ userId }) => change({ id: userId }, true)}
                  columns={[
                    { title: 'Name', cell: ({ username }) => <button type="button" className="cell-button"><b>{username}</b></button> },
                    { title: 'Email', cell: ({ email }) => email },
                    { title: 'Role', cell: ({ role }) => <Badge kind={role === 'user' ? '' : 'accent'}>{role}</Badge> },
                    { title: 'Plan', cell: ({ plan }) => plan },
                    { title: 'State', cell: ({ isActive }) => <Badge kind={isActive ? 'good' : 'bad'}>{isActive ? 'active' : 'deactivated'}</Badge> },
                    { title: 'Last seen', cell: ({ lastActive }) => <span className="nowrap quiet">{lastActive ? ago(Date.parse(lastActive)) : '–'}</span> },
                    { title: 'Followers', number: true, cell: ({ followerCount }) => count(followerCount ?? 0) },
                    { title: 'Coins', number: true, cell: ({ pscBalance }) => count(pscBalance ?? 0) },
                  ]}
                />
              )}
            </Card>
          );
        }}
      </Loaded>
      {open && <Detail key={open.userId} model={model} user={open} close={() => change({ id: null })} reload={users.reload} />}
    </>
  );
}

export function Users() {
  return (
    <NeedsSystem name="gallery" title="Users">
      {(model) => <UserList model={model} />}
    </NeedsSystem>
  );
}
