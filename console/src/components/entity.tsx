// An entity's colour and name, and keys split in their parts.

import type { CSSProperties } from 'react';
import type { Entity, Model } from '../api/models';
import { type Attribute, type Item, valueOf } from '../lib/attribute';
import { decodeKey, keyValues } from '../lib/key_template';

export function hueOf(model: Model | undefined, entity: string | null | undefined): { className: string; style: CSSProperties } {
  const colour = entity ? model?.colours.get(entity) : undefined;
  if (!colour) return { className: 'unknown', style: {} };
  return { className: `hued ${colour.tone ? 'deep' : ''}`, style: { '--hue': colour.hue } as CSSProperties };
}

export function EntityBadge({ model, name }: { model: Model | undefined; name: string | null | undefined }) {
  const { className, style } = hueOf(model, name);
  return (
    <span className={`entity ${className}`} style={style}>
      {name ?? 'no entity'}
    </span>
  );
}

const kPartHues = [238, 28, 142, 314, 84, 190];

// The variables of an item's keys, numbered in order of appearance: the number chooses the colour.
export function partNames(item: Item, entity: Entity | null): Map<string, number> {
  const names = new Map<string, number>();
  for (const name of Object.keys(entity ? keyValues(item, entity) : {})) names.set(name, names.size);
  return names;
}

export function PartLegend({ names }: { names: Map<string, number> }) {
  if (names.size === 0) return null;
  return (
    <p className="key-parts small">
      {[...names].map(([name, at]) => (
        <span key={name} className="variable hued" style={{ '--hue': kPartHues[at % kPartHues.length] } as CSSProperties}>
          {name}
        </span>
      ))}
    </p>
  );
}

// A key with its variables coloured; the same variable has the same colour in every key of an item.
export function KeyText({ value, entity, attribute, names }: { value: Attribute | undefined; entity: Entity | null; attribute: string; names: Map<string, number> }) {
  const text = value ? String(valueOf(value)) : '';
  const template = entity?.keys[attribute]?.template;
  const parts = template ? decodeKey(template, text) : null;
  if (!parts) return <span className="key-parts">{text}</span>;
  const hue = (name: string) => kPartHues[(names.get(name) ?? 0) % kPartHues.length]!;
  return (
    <span className="key-parts">
      {parts.map((part, at) =>
        part.name ? (
          <span key={at} className="variable hued" style={{ '--hue': hue(part.name) } as CSSProperties} title={part.name}>
            {part.text}
          </span>
        ) : (
          <span key={at} className="literal">
            {part.text}
          </span>
        ),
      )}
    </span>
  );
}
