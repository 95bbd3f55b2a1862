// A queue that a person can work in: oldest first by priority, one item at a time, decided from the keyboard; what is
// plainly alike can be decided together.

import { useCallback, useEffect, useRef, useState } from 'react';
import type { Model } from '../api/models';
import { type List, newKey, change as send, read } from '../api/systems';
import { ActionButton, Button, Segmented } from '../components/controls';
import { Empty, ErrorNotice, Loaded, toast, toastError } from '../components/feedback';
import { Icon } from '../components/icons';
import { Badge, Card, PageHead } from '../components/layout';
import { type Decision, ModerationItem, ReasonForm, type Submission, kTypeIcons } from '../components/moderation_item';
import { NeedsSystem } from '../components/needs_system';
import { ago, plural } from '../lib/format';
import { useQuery } from '../lib/location';
import { useLoad } from '../lib/use_load';
import '../styles/systems.css';

const kViews = [
  { value: 'pending', title: 'Queue' },
  { value: 'approved', title: 'Approved' },
  { value: 'unapproved', title: 'Refused' },
] as const;
const kBulkMost = 50; // of one request

interface BulkAnswer {
  results: { id: string; status: number; error?: string }[];
}

// Several items at once, each decided for itself: one that somebody else decided meanwhile does not hold up the others.
async function decideAll(model: Model, action: 'approve' | 'unapprove', ids: string[], reason?: string): Promise<{ done: number; errors: string[] }> {
  const results: BulkAnswer['results'] = [];
  for (let at = 0; at < ids.length; at += kBulkMost) {
    const answer = await send<BulkAnswer>(model, 'POST', '/items:bulk', { action, ids: ids.slice(at, at + kBulkMost), ...(reason ? { reason } : {}) }, newKey());
    results.push(...answer.results);
  }
  return { done: results.filter(({ status }) => status < 300).length, errors: [...new Set(results.flatMap(({ error }) => (error ? [error] : [])))] };
}

function BulkDecision({ model, ids, clear, done }: { model: Model; ids: string[]; clear: () => void; done: () => void }) {
  const [asking, setAsking] = useState(false);
  const decide = async (action: 'approve' | 'unapprove', reason?: string) => {
    try {
      const { done: decided, errors } = await decideAll(model, action, ids, reason);
      toast(`${plural(decided, 'item')} ${action === 'approve' ? 'approved' : 'refused'}${errors.length > 0 ? `; ${ids.length - decided} not: ${errors.join(', ')}` : ''}`, errors.length > 0);
      clear();
    } catch (error) {
      toastError(error);
    }
    done();
  };
  return (
    <Card className="bulk-decision" title={`${ids.length} selected`} actions={<Button size="small" kind="plain" onClick={clear}>Select none</Button>}>
      {asking ? (
        <ReasonForm question={`Why are these ${ids.length} refused? Their authors read this.`} verb={`Refuse ${ids.length}`} cancel={() => setAsking(false)} send={(reason) => decide('unapprove', reason)} />
      ) : (
        <>
          <p className="small quiet">For what is plainly the same: each is decided for itself, with the same note.</p>
          <div className="row">
            <ActionButton icon="check" action={() => decide('approve')}>
              Approve {ids.length}
            </ActionButton>
            <Button kind="danger" icon="close" onClick={() => setAsking(true)}>
              Refuse {ids.length}…
            </Button>
          </div>
        </>
      )}
    </Card>
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
  const [picked, setPicked] = useState<Set<string>>(new Set());
  const [decided, setDecided] = useState<string | null>(null); // what can be taken back
  const selected = view === 'pending' ? items.filter(({ moderationId }) => picked.has(moderationId)).map(({ moderationId }) => moderationId) : [];
  const toggle = (id: string) =>
    setPicked((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const alikeBy = { content: items.filter((entry) => entry.contentId === item?.contentId), author: items.filter((entry) => entry.userId === item?.userId) };
  const selectAlike = (by: 'content' | 'author') => setPicked((now) => new Set([...now, ...alikeBy[by].map(({ moderationId }) => moderationId)]));
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
    if (decision !== 'reopen') setDecided(item.moderationId);
    open(next);
  };
  const takeBack = async () => {
    if (!decided) {
      toast('There is nothing to take back');
      return;
    }
    await attempt(() => send(model, 'POST', `/items/${decided}/reopen`, {}), 'Taken back: it is in the queue again');
    change({ view: null, id: decided });
    setDecided(null);
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
      x: () => pending && toggle(item.moderationId),
      s: () => pending && selectAlike('content'),
      z: () => void takeBack(),
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
      <PageHead title="Moderation" about="High priority first, then the oldest. J and K move, A approves, R refuses, E escalates, V shows what is blurred, X selects, Z takes back.">
        <Segmented label="Which items" value={view} change={(value) => change({ view: value === 'pending' ? null : value, id: null })} options={kViews} />
        {decided && (
          <Button onClick={() => void takeBack()}>
            Take back <kbd>Z</kbd>
          </Button>
        )}
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
                  <p className="small quiet">
                    {plural(items.length, 'item')}
                    {list.data?.cursor ? ' of more' : ''}
                  </p>
                  {selected.length > 0 && <BulkDecision model={model} ids={selected} clear={() => setPicked(new Set())} done={list.reload} />}
                  <ol className="queue-list">
                    {items.map((entry) => (
                      <li key={entry.moderationId}>
                        {view === 'pending' && <input type="checkbox" aria-label={`Select ${entry.type} ${entry.contentId} of ${entry.userId}`} checked={picked.has(entry.moderationId)} onChange={() => toggle(entry.moderationId)} />}
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
                <ModerationItem model={model} item={item} shown={shown} toggle={() => setShown(!shown)} asking={asking} ask={setAsking} decide={decide} escalate={escalate} release={release} alike={{ content: alikeBy.content.length - 1, author: alikeBy.author.length - 1 }} selectAlike={selectAlike} />
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
