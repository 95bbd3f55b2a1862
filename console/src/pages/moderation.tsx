// A queue that a person can work in: oldest first by priority, one item at a time, decided from the keyboard. Content is
// blurred until somebody wants to see it.

import { useCallback, useEffect, useRef, useState } from 'react';
import type { Model } from '../api/models';
import { useSession } from '../api/session';
import { type List, change as send, read } from '../api/systems';
import { ActionButton, Button, Segmented } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Icon } from '../components/icons';
import { Badge, Card, Facts, PageHead, Stats } from '../components/layout';
import { NeedsSystem } from '../components/needs_system';
import { ago, count, moment, plural } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

interface Submission {
  moderationId: string;
  userId: string;
  contentId: string;
  type: string;
  status: 'pending' | 'approved' | 'unapproved';
  priority: 'high' | 'normal';
  submittedAt: number;
  actionedAt?: number;
  actionedBy?: string;
  decisionNote?: string;
  reporterId?: string;
  reason?: string;
  assignee?: string;
  assignedUntil?: number;
}

interface ModerationEvent {
  action: string;
  from?: string;
  to?: string;
  by: string;
  note?: string;
  at: number;
}

const kViews = [
  { value: 'pending', title: 'Queue' },
  { value: 'approved', title: 'Approved' },
  { value: 'unapproved', title: 'Refused' },
] as const;
const kTypeIcons: Record<string, string> = { image: 'eye', video: 'play', text: 'story', link: 'link', report: 'warn' };

function StatusBadge({ status }: { status: string }) {
  if (status === 'approved') return <Badge kind="good">approved</Badge>;
  if (status === 'unapproved') return <Badge kind="bad">refused</Badge>;
  return <Badge kind="warn">pending</Badge>;
}

function Content({ item, shown, toggle }: { item: Submission; shown: boolean; toggle: () => void }) {
  return (
    <div className="content-box">
      <div className={shown ? 'content' : 'content blurred'} aria-hidden={!shown}>
        <Icon name={kTypeIcons[item.type] ?? 'file'} />
        <strong className="mono">{item.contentId}</strong>
        {item.reason && <blockquote>{item.reason}</blockquote>}
      </div>
      <Button className="reveal" size="small" icon="eye" aria-pressed={shown} onClick={toggle}>
        {shown ? 'Blur' : 'Show content'}
      </Button>
    </div>
  );
}

function History({ model, item }: { model: Model; item: Submission }) {
  const events = useLoad(`moderation history ${item.moderationId} ${item.status} ${item.priority}`, (signal) => read<List<ModerationEvent>>(model, `/items/${item.moderationId}/history`, signal));
  return (
    <Card title="History">
      <Loaded load={events} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">Nothing happened yet.</p>
          ) : (
            <ol className="timeline">
              {items.map((event, at) => (
                <li key={at}>
                  <b>{event.action}</b> by {event.by}
                  {event.from && event.to ? ` · ${event.from} → ${event.to}` : ''}
                  <span className="quiet small"> {moment(event.at)}</span>
                  {event.note && <p className="small">{event.note}</p>}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function Author({ model, userId }: { model: Model; userId: string }) {
  const summary = useLoad(`moderation summary ${userId}`, (signal) => read<{ counts: Record<string, number>; strikes: number }>(model, `/users/${encodeURIComponent(userId)}/summary`, signal));
  return (
    <Card title={`Author ${userId}`}>
      <Loaded load={summary} lines={2}>
        {({ counts, strikes }) => (
          <Stats
            figures={[
              { title: 'Pending', value: count(counts.pending ?? 0) },
              { title: 'Approved', value: count(counts.approved ?? 0) },
              { title: 'Refused', value: count(counts.unapproved ?? 0) },
              { title: 'Strikes', value: count(strikes) },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

type Decision = 'approve' | 'unapprove' | 'reverse' | 'reopen';

interface DetailProps {
  model: Model;
  item: Submission;
  shown: boolean;
  toggle: () => void;
  asking: boolean;
  ask: (on: boolean) => void;
  decide: (decision: Decision, reason?: string) => Promise<void>;
  escalate: () => Promise<void>;
  release: () => Promise<void>;
}

function Detail({ model, item, shown, toggle, asking, ask, decide, escalate, release }: DetailProps) {
  const { session } = useSession();
  const [reason, setReason] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setReason('');
  }, [item.moderationId]);
  useEffect(() => {
    if (asking) box.current?.focus();
  }, [asking]);
  const pending = item.status === 'pending';
  const mine = item.assignee === 'console' || item.assignee === session.name;
  const held = item.assignee && (item.assignedUntil ?? 0) > Date.now();
  const negative: Decision = pending ? 'unapprove' : 'reverse';
  return (
    <div className="stack">
      <Card
        title={
          <span className="row">
            {item.type} <StatusBadge status={item.status} />
            {item.priority === 'high' && <Badge kind="bad">high priority</Badge>}
            {held && <Badge kind="accent">{mine ? 'yours' : `with ${item.assignee}`} until {moment(item.assignedUntil).slice(11, 16)}</Badge>}
          </span>
        }
        actions={<span className="small quiet">submitted {ago(item.submittedAt)}</span>}
      >
        <Content item={item} shown={shown} toggle={toggle} />
        <Facts
          facts={[
            ['Whose', item.userId],
            ...(item.reporterId ? ([['Reported by', item.reporterId]] as [string, string][]) : []),
            ['Submitted', moment(item.submittedAt)],
            ...(item.actionedAt ? ([['Decided', `${moment(item.actionedAt)} by ${item.actionedBy ?? '–'}`]] as [string, string][]) : []),
            ...(item.decisionNote ? ([['Note', item.decisionNote]] as [string, string][]) : []),
            ['Id', item.moderationId],
          ]}
        />
        {asking ? (
          <form
            className="stack tight"
            onSubmit={(event) => {
              event.preventDefault();
              if (reason.trim()) void decide(negative, reason.trim());
            }}
          >
            <label className="field">
              <span>{pending ? 'Why is it refused? The author reads this.' : 'Why is the decision reversed?'}</span>
              <textarea
                ref={box}
                rows={3}
                maxLength={2000}
                required
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key === 'Escape') ask(false);
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && reason.trim()) void decide(negative, reason.trim());
                }}
              />
            </label>
            <div className="row end">
              <Button onClick={() => ask(false)}>Cancel</Button>
              <Button kind="danger primary" type="submit">
                {pending ? 'Refuse' : 'Reverse'}
              </Button>
            </div>
          </form>
        ) : (
          <div className="row decisions">
            {pending ? (
              <>
                <ActionButton kind="primary" icon="check" action={() => decide('approve')}>
                  Approve <kbd>A</kbd>
                </ActionButton>
                <Button kind="danger" icon="close" onClick={() => ask(true)}>
                  Refuse <kbd>R</kbd>
                </Button>
                {item.priority !== 'high' && (
                  <ActionButton icon="warn" action={escalate}>
                    Escalate <kbd>E</kbd>
                  </ActionButton>
                )}
                {held && mine && (
                  <ActionButton kind="plain" action={release}>
                    Give back
                  </ActionButton>
                )}
              </>
            ) : (
              <>
                <Button onClick={() => ask(true)}>Reverse…</Button>
                <ActionButton action={() => decide('reopen')}>Reopen</ActionButton>
              </>
            )}
          </div>
        )}
      </Card>
      <Author model={model} userId={item.userId} />
      <History model={model} item={item} />
    </div>
  );
}

function Queue({ model }: { model: Model }) {
  const [query, change] = useQuery();
  const view = kViews.find(({ value }) => value === query.view)?.value ?? 'pending';
  const list = useLoad(`moderation ${view}`, (signal) => read<List<Submission>>(model, view === 'pending' ? '/queue?limit=100' : `/items?status=${view}&order=desc&limit=100`, signal), 15_000);
  const items = list.data?.items ?? [];
  const at = Math.max(0, items.findIndex(({ moderationId }) => moderationId === query.id));
  const item = items[at];
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState(false);
  const open = useCallback(
    (next: Submission | undefined) => {
      change({ id: next?.moderationId ?? null });
      setShown(false);
      setAsking(false);
    },
    [change],
  );

  const attempt = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast(done);
    } catch (error) {
      toastError(error);
    }
    list.reload();
  };
  const path = item ? `/items/${item.moderationId}` : '';
  const decide = async (decision: Decision, reason?: string) => {
    if (!item) return;
    const next = items[at + 1] ?? items[at - 1];
    await attempt(() => send(model, 'POST', `${path}/${decision}`, reason ? { reason } : {}), { approve: 'Approved', unapprove: 'Refused', reverse: 'Reversed', reopen: 'Back in the queue' }[decision]);
    open(next);
  };
  const escalate = () => attempt(() => send(model, 'PUT', `${path}/priority`, { priority: 'high' }), 'High priority now');
  const release = () => attempt(() => send(model, 'DELETE', `${path}/claim`, undefined), 'Given back');
  const claim = async () => {
    try {
      const taken = await send<Submission | null>(model, 'POST', '/queue/next');
      list.reload();
      if (taken) {
        toast('It is yours for a while');
        open(taken);
      } else toast('Nothing is left to claim');
    } catch (error) {
      toastError(error);
    }
  };

  const keys = useRef<(event: KeyboardEvent) => void>(() => {});
  keys.current = (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.('input, textarea, select') || document.querySelector('dialog[open]')) return;
    const pending = item?.status === 'pending';
    const actions: Record<string, () => void> = {
      j: () => open(items[Math.min(items.length - 1, at + 1)]),
      k: () => open(items[Math.max(0, at - 1)]),
      v: () => setShown((now) => !now),
      c: () => void claim(),
      a: () => pending && void decide('approve'),
      r: () => item && setAsking(true),
      e: () => pending && item.priority !== 'high' && void escalate(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => keys.current(event);
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);

  return (
    <>
      <PageHead title="Moderation" about="High priority first, then the oldest. J and K move, A approves, R refuses, E escalates, V shows what is blurred.">
        <Segmented label="Which items" value={view} change={(value) => change({ view: value === 'pending' ? null : value, id: null })} options={kViews} />
        <Button icon="play" kind="primary" onClick={() => void claim()}>
          Claim next <kbd>C</kbd>
        </Button>
      </PageHead>
      {list.error && !list.data ? (
        <ErrorNotice error={list.error} retry={list.reload} />
      ) : (
        <Loaded load={list}>
          {() =>
            !item ? (
              <Empty icon="check" title={view === 'pending' ? 'The queue is empty' : 'Nothing here'}>
                <p>{view === 'pending' ? 'Everything that was submitted or reported has been decided.' : 'No decision of this kind yet.'}</p>
              </Empty>
            ) : (
              <div className="split queue">
                <section aria-label="Items">
                  <p className="small quiet">{plural(items.length, 'item')}</p>
                  <ol className="queue-list">
                    {items.map((entry) => (
                      <li key={entry.moderationId}>
                        <button type="button" aria-current={entry === item ? 'true' : undefined} onClick={() => open(entry)}>
                          <Icon name={kTypeIcons[entry.type] ?? 'file'} />
                          <span className="grow">
                            <span className="clip">{entry.contentId}</span>
                            <span className="small quiet">
                              {entry.type} of {entry.userId} · {ago(entry.submittedAt)}
                            </span>
                          </span>
                          {entry.priority === 'high' && <Badge kind="bad">high</Badge>}
                        </button>
                      </li>
                    ))}
                  </ol>
                </section>
                <Detail model={model} item={item} shown={shown} toggle={() => setShown(!shown)} asking={asking} ask={setAsking} decide={decide} escalate={escalate} release={release} />
              </div>
            )
          }
        </Loaded>
      )}
    </>
  );
}

export function Moderation() {
  return (
    <NeedsSystem name="moderation" title="Moderation">
      {(model) => <Queue model={model} />}
    </NeedsSystem>
  );
}
