// Partitions as rows of chips. A bracket marks what an access pattern reads.

import { type CSSProperties, type KeyboardEvent, memo } from 'react';
import { Link } from 'wouter';
import type { Entity, Model } from '../api/models';
import { valueOf } from '../lib/attribute';
import { type Bracket, type Chip, type Health, type Partition, chipWidth } from '../lib/collection';
import { bytes, count, units } from '../lib/format';
import { type HotPartition, perSecond } from '../lib/hot_keys';
import { decodeKey } from '../lib/key_template';
import { link, part } from '../lib/location';
import { hueOf } from './entity';

interface ChipProps {
  chip: Chip;
  model: Model | undefined;
  selected: boolean;
  dim: boolean;
  select: (chip: Chip) => void;
}

const ItemChip = memo(function ItemChip({ chip, model, selected, dim, select }: ChipProps) {
  const { className, style } = hueOf(model, chip.entity?.name);
  const move = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    const all = [...(event.currentTarget.closest('.partitions')?.querySelectorAll<HTMLButtonElement>('.chip') ?? [])];
    all[all.indexOf(event.currentTarget) + (event.key === 'ArrowRight' ? 1 : -1)]?.focus();
  };
  return (
    <button
      type="button"
      data-flip={chip.id}
      className={`chip ${className} ${dim ? 'dim' : ''} ${chip.left > 0.02 ? 'part' : ''}`}
      style={{ ...style, width: `${chipWidth(chip.bytes)}px`, ...(chip.left > 0.02 ? { '--left': `${Math.round(chip.left * 100)}%` } : {}) } as CSSProperties}
      aria-pressed={selected}
      title={`${chip.entity?.name ?? 'no entity'} · ${bytes(chip.bytes)}${chip.left > 0.02 ? ` · ${Math.round(chip.left * 100)} % of it is not in this index` : ''}`}
      aria-label={`${chip.entity?.name ?? 'no entity'} ${chip.label}`}
      onClick={() => select(chip)}
      onKeyDown={move}
    >
      {chip.label || '·'}
    </button>
  );
});

// The entity whose partition template fits: it names the parts of the partition's key.
function partitionParts(text: string, hash: string, entities: (Entity | null)[]) {
  for (const entity of entities) {
    const template = entity?.keys[hash]?.template;
    const parts = template ? decodeKey(template, text) : null;
    if (parts) return parts;
  }
  return [{ text, name: null }];
}

interface PartitionRowsProps {
  table: string;
  index: string | null;
  hash: string;
  partitions: Partition[];
  brackets: Map<string, Bracket>;
  pattern: string | null;
  model: Model | undefined;
  hidden: Set<string>;
  selected: string | null;
  select: (chip: Chip) => void;
  health: Health | null;
  hot: readonly HotPartition[];
}

function HealthLane({ of, more, size, hot }: { of: { share: number; skew: number; level: 'good' | 'warn' | 'bad' }; more: boolean; size: number; hot: HotPartition | undefined }) {
  return (
    <span className={`health ${of.level}`}>
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${Math.max(1, of.share * 100)}%`, background: `var(--${of.level})` }} />
      </span>
      <span className="small">
        {more ? 'at least ' : ''}
        {bytes(size)} of 10 GB · {of.skew.toFixed(1)} × median
      </span>
      {hot && (
        <span className={`small calls ${hot.level}`}>
          {perSecond(hot.reads)} reads, {perSecond(hot.writes)} writes a second
        </span>
      )}
    </span>
  );
}

export function PartitionRows({ table, index, hash, partitions, brackets, pattern, model, hidden, selected, select, health, hot }: PartitionRowsProps) {
  const callsOf = new Map(hot.map((each) => [each.id, each]));
  const largest = Math.max(1, ...partitions.map((partition) => partition.bytes));
  return (
    <ol className="partitions" aria-label="Partitions">
      {partitions.map((partition) => {
        const text = String(valueOf(partition.key));
        const shown = partition.chips.filter(({ entity }) => !hidden.has(entity?.name ?? ''));
        if (shown.length === 0) return null;
        const bracket = brackets.get(partition.id);
        const inRange = shown.filter(({ id }) => bracket?.read.has(id));
        return (
          <li key={partition.id} className={brackets.size > 0 && !bracket ? 'partition away' : 'partition'}>
            <div className="partition-head" data-flip={`partition ${partition.id}`}>
              <Link className="key-parts" href={link(`/items/${part(table)}`, { mode: 'query', index, pk: text })} title="Query this partition">
                {partitionParts(text, hash, [...new Set(partition.chips.map(({ entity }) => entity))]).map(({ text: piece, name }, at) => (
                  <span key={at} className={name ? 'strong' : 'literal'}>
                    {piece}
                  </span>
                ))}
              </Link>
              <span className="small quiet nowrap">
                {count(partition.chips.length)}
                {partition.more ? '+' : ''} · {bytes(partition.bytes)}
              </span>
              {health?.byId.has(partition.id) ? (
                <HealthLane of={health.byId.get(partition.id)!} more={partition.more} size={partition.bytes} hot={callsOf.get(partition.id)} />
              ) : partition.chips.length > 1 && (
                <span className="bar" aria-hidden="true">
                  <i style={{ width: `${Math.max(2, (partition.bytes / largest) * 100)}%`, background: 'var(--line-2)' }} />
                </span>
              )}
            </div>
            <div className="lane">
              {shown.map((chip) => {
                const at = inRange.indexOf(chip);
                const edge = at < 0 ? '' : `read ${at === 0 ? 'first' : ''} ${at === inRange.length - 1 ? 'last' : ''}`;
                return (
                  <span key={chip.id} className={`slot ${edge}`}>
                    {at === 0 && bracket && (
                      <span className="bracket-label">
                        {pattern} · {count(inRange.length)} · {units(bracket.units)} RCU
                      </span>
                    )}
                    <ItemChip chip={chip} model={model} selected={selected === chip.id} dim={bracket !== undefined && at < 0} select={select} />
                  </span>
                );
              })}
              {partition.more && (
                <Link className="small more-chip" href={link(`/items/${part(table)}`, { mode: 'query', index, pk: text })}>
                  more…
                </Link>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

// Items of the table that an index does not hold, with the reason.
export function SparseItems({ chips, reasonOf, model, hidden, select }: { chips: Chip[]; reasonOf: (chip: Chip) => string; model: Model | undefined; hidden: Set<string>; select: (chip: Chip) => void }) {
  const groups = new Map<string, Chip[]>();
  for (const chip of chips) {
    if (hidden.has(chip.entity?.name ?? '')) continue;
    const reason = reasonOf(chip);
    groups.set(reason, [...(groups.get(reason) ?? []), chip]);
  }
  if (groups.size === 0) return null;
  return (
    <section className="sparse stack tight" aria-label="Items that are not in this index">
      <h2>Not in this index</h2>
      {[...groups].map(([reason, list]) => (
        <div key={reason} className="partition">
          <div className="partition-head small quiet">{reason}</div>
          <div className="lane">
            {list.slice(0, 60).map((chip) => (
              <span key={chip.id} className="slot">
                <ItemChip chip={chip} model={model} selected={false} dim select={select} />
              </span>
            ))}
            {list.length > 60 && <span className="small quiet more-chip">and {count(list.length - 60)} more</span>}
          </div>
        </div>
      ))}
    </section>
  );
}
