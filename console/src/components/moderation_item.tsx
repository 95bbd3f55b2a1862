// One item of the moderation queue: what it is about, blurred until somebody wants to see it, what happened to it, and the
// decisions.

import { useEffect, useRef, useState } from 'react';
import type { Model } from '../api/models';
import { useSession } from '../api/session';
import { type List, read } from '../api/systems';
import { ago, count, moment, plural } from '../lib/format';
import { useLoad } from '../lib/use_load';
import { ActionButton, Button, Select } from './controls';
import { Loaded } from './feedback';
import { Icon } from './icons';
import { Badge, Card, Facts, Stats } from './layout';

export interface Submission {
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

export const kTypeIcons: Record<string, string> = { image: 'eye', video: 'play', text: 'story', link: 'link', report: 'warn' };

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

const kPolicies = ['spam', 'harassment', 'sexual content', 'violence', 'rights of others', 'something else'];

// A note is required: who is refused learns why.
export function ReasonForm({ question, verb, cancel, send }: { question: string; verb: string; cancel: () => void; send: (reason: string) => Promise<void> }) {
  const [policy, setPolicy] = useState('');
  const [note, setNote] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const reason = note.trim() === '' ? '' : policy ? `${policy.charAt(0).toUpperCase()}${policy.slice(1)}: ${note.trim()}` : note.trim();
  const submit = () => reason && void send(reason);
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Select aria-label="Rule" value={policy} change={setPolicy} options={[{ value: '', title: 'no rule named' }, ...kPolicies]} />
      <label className="field">
        <span>{question}</span>
        <textarea
          ref={box}
          rows={3}
          maxLength={1900}
          required
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') cancel();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          }}
        />
        <span className="hint">Ctrl Enter sends it, Escape goes back.</span>
      </label>
      <div className="row end">
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="danger primary" type="submit">
          {verb}
        </Button>
      </div>
    </form>
  );
}

export type Decision = 'approve' | 'unapprove' | 'reverse' | 'reopen';

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
  alike: { content: number; author: number }; // how many others of the list are about the same, or by the same author
  selectAlike: (by: 'content' | 'author') => void;
}

export function ModerationItem({ model, item, shown, toggle, asking, ask, decide, escalate, release, alike, selectAlike }: DetailProps) {
  const { session } = useSession();
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
        {pending && (alike.content > 0 || alike.author > 0) && (
          <p className="row small">
            {alike.content > 0 && (
              <Button size="small" onClick={() => selectAlike('content')}>
                Select it and {plural(alike.content, 'other')} about the same content <kbd>S</kbd>
              </Button>
            )}
            {alike.author > 0 && (
              <Button size="small" onClick={() => selectAlike('author')}>
                Select it and {plural(alike.author, 'other')} of {item.userId}
              </Button>
            )}
          </p>
        )}
        {asking ? (
          <ReasonForm
            key={item.moderationId}
            question={pending ? 'Why is it refused? The author reads this.' : 'Why is the decision reversed?'}
            verb={pending ? 'Refuse' : 'Reverse'}
            cancel={() => ask(false)}
            send={(reason) => decide(negative, reason)}
          />
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
