// Entities by the partition they share: one box is one item collection, a card an entity with its sort key and indexes.
// Lines lead from an entity to the rows it keeps.

import { useMemo } from 'react';
import type { Entity, Model } from '../api/models';
import { link, navigate, part } from '../lib/location';
import { useWidth } from './chart';
import { hueOf } from './entity';

const kCard = { width: 236, height: 58, gap: 10 };
const kBox = { pad: 12, head: 30, gap: 22 };

interface PlacedCard {
  entity: Entity;
  x: number;
  y: number;
}
interface PlacedBox {
  template: string;
  x: number;
  y: number;
  height: number;
  cards: PlacedCard[];
}

export function placeEntities(model: Model, width: number): { boxes: PlacedBox[]; height: number } {
  const hash = model.table.key[0]!.name;
  const groups = new Map<string, Entity[]>();
  for (const entity of model.entities) {
    if (entity.builtIn) continue;
    const template = entity.keys[hash]?.template ?? '';
    groups.set(template, [...(groups.get(template) ?? []), entity]);
  }
  const boxWidth = kCard.width + 2 * kBox.pad;
  const columns = Math.max(1, Math.floor((width + kBox.gap) / (boxWidth + kBox.gap)));
  const heights = Array.from({ length: columns }, () => 0);
  const boxes = [...groups]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([template, entities]) => {
      const column = heights.indexOf(Math.min(...heights));
      const x = column * (boxWidth + kBox.gap);
      const y = heights[column]!;
      const height = kBox.head + entities.length * (kCard.height + kCard.gap) - kCard.gap + kBox.pad;
      heights[column] = y + height + kBox.gap;
      return { template, x, y, height, cards: entities.map((entity, at) => ({ entity, x: x + kBox.pad, y: y + kBox.head + at * (kCard.height + kCard.gap) })) };
    });
  return { boxes, height: Math.max(0, ...heights) };
}

const clipped = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function EntityDiagram({ model }: { model: Model }) {
  const [box, width] = useWidth();
  const { boxes, height } = useMemo(() => placeEntities(model, width), [model, width]);
  const sort = model.table.key[1]?.name;
  const cards = new Map(boxes.flatMap((entry) => entry.cards).map((card) => [card.entity.name, card]));
  const edges = [...cards.values()].flatMap((from) => [...new Set(from.entity.rows)].map((name) => ({ from, to: cards.get(name) }))).filter(({ to, from }) => to && to !== from);
  const indexesOf = (entity: Entity) => model.table.indexes.filter((index) => index.key[0] && (entity.keys[index.key[0].name] || entity.attributes.some(({ name }) => name === index.key[0]!.name)));
  const open = (entity: Entity) => navigate(link(`/collections/${part(model.table.name)}`, { only: entity.name }));
  return (
    <div ref={box} className="diagram">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Entities of ${model.title} by partition`}>
        {boxes.map((entry) => (
          <g key={entry.template}>
            <rect className="collection" x={entry.x + 0.5} y={entry.y + 0.5} width={kCard.width + 2 * kBox.pad - 1} height={entry.height - 1} rx="12" />
            <text className="collection-title" x={entry.x + kBox.pad} y={entry.y + 20}>
              {clipped(entry.template || 'plain attribute', 34)}
            </text>
          </g>
        ))}
        {edges.map(({ from, to }) => {
          const right = to!.x >= from.x;
          const x1 = right ? from.x + kCard.width : from.x;
          const x2 = to!.x > from.x ? to!.x : to!.x === from.x ? to!.x + kCard.width : to!.x + kCard.width;
          const [y1, y2] = [from.y + kCard.height / 2, to!.y + kCard.height / 2];
          const bend = Math.max(28, Math.abs(x2 - x1) / 2);
          const c1 = right ? x1 + bend : x1 - bend;
          const c2 = to!.x > from.x ? x2 - bend : x2 + bend;
          return <path key={`${from.entity.name} ${to!.entity.name}`} className="relation" d={`M${x1} ${y1}C${c1} ${y1} ${c2} ${y2} ${x2} ${y2}`} markerEnd="url(#arrow)" />;
        })}
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8Z" fill="var(--ink-3)" />
          </marker>
        </defs>
        {[...cards.values()].map(({ entity, x, y }) => {
          const { className, style } = hueOf(model, entity.name);
          const indexes = indexesOf(entity);
          return (
            <g
              key={entity.name}
              className={`entity-card ${className}`}
              style={style}
              role="link"
              tabIndex={0}
              onClick={() => open(entity)}
              onKeyDown={(event) => event.key === 'Enter' && open(entity)}
            >
              <rect x={x} y={y} width={kCard.width} height={kCard.height} rx="8" />
              <text className="entity-name" x={x + 10} y={y + 18}>
                {entity.name}
              </text>
              <text className="entity-key" x={x + 10} y={y + 34}>
                {clipped(sort ? (entity.keys[sort]?.template ?? `plain ${sort}`) : '', 34)}
              </text>
              <text className="entity-indexes" x={x + 10} y={y + 49}>
                {clipped(indexes.map(({ name }) => name).join('  ') || 'in no index', 42)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
