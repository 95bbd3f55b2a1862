// An entity's colour and name, and keys split in their parts.

import type { CSSProperties } from 'react';
import type { Entity, Model } from '../api/models';
import { type Attribute, valueOf } from '../lib/attribute';
import { decodeKey } from '../lib/key_template';

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

// A key with its variables coloured; the same variable has the same colour in every key of an item.
export function KeyText({ value, entity, attribute, names }: { value: Attribute | undefined; entity: Entity | null; attribute: string; names: Map<string, number> }) {
  const text = value ? String(valueOf(value)) : '';
  const template = entity?.keys[attribute]?.template;
  const parts = template ? decodeKey(template, text) : null;
  if (!parts) return <span className="key-parts">{text}</span>;
  const hue = (name: string) => {
    if (!names.has(name)) names.set(name, names.size);
    return kPartHues[names.get(name)! % kPartHues.length]!;
  };
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
