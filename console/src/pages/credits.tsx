// The credit ledger of a member, with the proof that balance, lots and ledger are one number.

import { useState } from 'react';
import { Link } from 'wouter';
import { type Model, useModels } from '../api/models';
import { change as send, newKey, partitionItems, partitionsWith, read } from '../api/systems';
import { ActionButton, Button, Field, Text } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast } from '../components/feedback';
import { Icon } from '../components/icons';
import { Badge, Card, Facts, PageHead, Table } from '../components/layout';
import { NeedsSystem } from '../components/needs_system';
import { Overlay } from '../components/overlay';
import { valueOf } from '../lib/attribute';
import { csvText, download, stamp } from '../lib/export';
import { count, moment } from '../lib/format';
import { type LedgerLine, type Proof, proveBalance } from '../lib/ledger';
import { link, part } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

const ledgerCsv = (lines: readonly LedgerLine[]) => csvText([['id', 'at', 'kind', 'note', 'amount', 'balance'], ...lines.map(({ id, at, kind, note, amount, stored }) => [id, at, kind, note, String(amount), String(stored)])]);

interface Member {
  userId: string;
  balance: number | null;
}

async function loadMembers(model: Model, signal: AbortSignal): Promise<Member[]> {
  const [hash, sort] = model.table.key.map(({ name }) => name);
  const partitions = await partitionsWith(model.table.name, 'USER#', 1, signal);
  return partitions
    .map(({ key, items }) => {
      const first = items.find(({ item }) => valueOf(item[sort!]) === 'CREDITS#BALANCE');
      return { userId: String(valueOf(key[hash!])).slice('USER#'.length), balance: first ? Number(valueOf(first.item.balance)) : null };
    })
    .sort((a, b) => (a.userId < b.userId ? -1 : 1));
}

function ProofCard({ proof, complete }: { proof: Proof; complete: boolean }) {
  const terms = [
    { title: 'Stored balance', value: proof.balance },
    { title: 'Left in the lots', value: proof.lotSum },
    { title: 'Ledger added up', value: proof.ledgerSum },
  ];
  return (
    <Card
      title="Balance proof"
      actions={
        <Badge kind={proof.holds ? 'good' : 'bad'}>
          <Icon name={proof.holds ? 'check' : 'warn'} />
          {proof.holds ? 'balance = lots = ledger' : 'they differ'}
        </Badge>
      }
    >
      <div className="proof">
        {terms.map(({ title, value }, at) => (
          <div key={title} className="row">
            {at > 0 && <span className={`equals ${value === proof.balance ? 'good' : 'bad'}`}>{value === proof.balance ? '=' : '≠'}</span>}
            <dl className="stat">
              <dt>{title}</dt>
              <dd>{count(value)}</dd>
            </dl>
          </div>
        ))}
      </div>
      {proof.firstWrong && <div className="notice bad">The balance beside entry {proof.firstWrong.id} says {count(proof.firstWrong.stored)}; the entries before it add up to {count(proof.firstWrong.computed)}.</div>}
      {!complete && <div className="notice warn">The member has more entries than this page reads; the proof covers the first part.</div>}
    </Card>
  );
}

function Grant({ model, userId, close, done }: { model: Model; userId: string; close: () => void; done: () => void }) {
  const [amount, setAmount] = useState('10');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [key] = useState(newKey);
  const grant = async () => {
    setError(null);
    try {
      await send(model, 'POST', '/admin/credits/grant', { userId, amount: Number(amount), reason }, key);
      toast(`${amount} credits granted`);
      done();
      close();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Overlay
      title={`Grant credits to ${userId}`}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <ActionButton kind="primary" action={grant} disabled={!(Number(amount) > 0) || reason.trim() === ''}>
            Grant
          </ActionButton>
        </>
      }
    >
      <Field label="Amount">
        <Text type="number" min={1} value={amount} change={setAmount} />
      </Field>
      <Field label="Reason" hint="It stands in the ledger and in the audit.">
        <Text value={reason} change={setReason} />
      </Field>
      {error && <ErrorNotice error={error} />}
    </Overlay>
  );
}

interface Membership {
  tier: string;
  source: string;
  until: string | null;
  subscriptions: { subscriptionId: string; status: string }[];
  founderPasses: { passType: string }[];
}

function MemberDetail({ model, userId }: { model: Model; userId: string }) {
  const [hash, sort] = model.table.key.map(({ name }) => name);
  const load = useLoad(`ledger ${userId}`, (signal) => partitionItems(model.table.name, hash!, `USER#${userId}`, signal));
  const about = useLoad(`member ${userId}`, (signal) => read<Membership>(model, `/admin/users/${part(userId)}`, signal));
  const [granting, setGranting] = useState(false);
  return (
    <div className="stack wide">
      <Card
        title={userId}
        actions={
          <>
            <Link className="button small" href={link(`/collections/${part(model.table.name)}`, { prefix: `USER#${userId}` })}>
              Items
            </Link>
            <Button size="small" icon="plus" onClick={() => setGranting(true)}>
              Grant credits
            </Button>
          </>
        }
      >
        <Loaded load={about} lines={2}>
          {(member) => (
            <Facts
              facts={[
                ['Tier', `${member.tier} by ${member.source}${member.until ? ` until ${moment(member.until)}` : ''}`],
                ['Subscriptions', member.subscriptions?.map(({ subscriptionId, status }) => `${subscriptionId} (${status})`).join(', ') || 'none'],
                ['Founder passes', member.founderPasses?.map(({ passType }) => passType).join(', ') || 'none'],
              ]}
            />
          )}
        </Loaded>
      </Card>
      <Loaded load={load}>
        {({ items, complete }) => {
          const proof = proveBalance(items, sort!);
          return (
            <>
              <ProofCard proof={proof} complete={complete} />
              <Card
                title="Ledger"
                flush
                actions={
                  proof.lines.length > 0 && (
                    <Button size="small" icon="download" onClick={() => download(`ledger-${userId}-${stamp(Date.now())}.csv`, ledgerCsv(proof.lines), 'text/csv')}>
                      CSV
                    </Button>
                  )
                }
              >
                {proof.lines.length === 0 ? (
                  <Empty icon="coins" title="No movement yet" />
                ) : (
                  <Table
                    label="Ledger"
                    rows={[...proof.lines].reverse()}
                    rowKey={({ id }) => id}
                    columns={[
                      { title: 'When', cell: ({ at }) => <span className="nowrap">{moment(at)}</span> },
                      { title: 'What', cell: ({ kind }) => kind.replaceAll('_', ' ') },
                      { title: 'For', cell: ({ note }) => <span className="quiet">{note}</span> },
                      { title: 'Amount', number: true, cell: ({ amount }) => <b className={amount < 0 ? 'bad-text' : 'good-text'}>{amount > 0 ? `+${count(amount)}` : count(amount)}</b> },
                      { title: 'Balance', number: true, cell: ({ stored }) => count(stored) },
                      { title: 'Added up', number: true, cell: ({ computed, stored }) => <span className={computed === stored ? 'good-text' : 'bad-text'}>{count(computed)} {computed === stored ? '✓' : '✗'}</span> },
                    ]}
                  />
                )}
              </Card>
              <Card title="Lots, first to expire first" flush>
                {proof.lots.length === 0 ? (
                  <Empty icon="coins" title="No lots" />
                ) : (
                  <Table
                    label="Lots"
                    rows={proof.lots}
                    rowKey={({ id }) => id}
                    columns={[
                      { title: 'Lot', cell: ({ id }) => <code>{id}</code> },
                      { title: 'From', cell: ({ source }) => source },
                      { title: 'Expires', cell: ({ expires }) => <span className="nowrap">{expires ? moment(expires * 1000) : 'never'}</span> },
                      { title: 'Granted', number: true, cell: ({ granted }) => count(granted) },
                      { title: 'Left', number: true, cell: ({ remaining }) => count(remaining) },
                    ]}
                  />
                )}
              </Card>
            </>
          );
        }}
      </Loaded>
      {granting && <Grant model={model} userId={userId} close={() => setGranting(false)} done={load.reload} />}
    </div>
  );
}

export function Credits({ params }: { params: { user?: string } }) {
  const models = useModels();
  const model = models.find(({ name }) => name === 'membership');
  const members = useLoad(model ? 'members' : null, (signal) => loadMembers(model!, signal));
  const userId = params.user ? decodeURIComponent(params.user) : members.data?.[0]?.userId;
  return (
    <NeedsSystem name="membership" title="Credits">
      {(membership) => (
        <>
          <PageHead title="Credits" about="Each member’s ledger, and the proof that the stored balance is what the lots and the ledger say." />
          <Loaded load={members}>
            {(list) =>
              list.length === 0 && !userId ? (
                <Empty icon="coins" title="No members yet" />
              ) : (
                <div className="split">
                  <nav className="pattern-list" aria-label="Members">
                    <ul>
                      {list.map((member) => (
                        <li key={member.userId}>
                          <Link href={`/systems/credits/${part(member.userId)}`} aria-current={member.userId === userId ? 'page' : undefined}>
                            <span className="grow clip">{member.userId}</span>
                            <span className="quiet num">{member.balance === null ? '' : count(member.balance)}</span>
                          </Link>
                        </li>
                      ))}
                    </ul>
                  </nav>
                  {userId && <MemberDetail key={userId} model={membership} userId={userId} />}
                </div>
              )
            }
          </Loaded>
        </>
      )}
    </NeedsSystem>
  );
}
