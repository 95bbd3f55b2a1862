// Which entities lie in which indexes, and which patterns ask for them there. An index that holds something nobody asks
// for costs writes for nothing.

import { Link } from 'wouter';
import type { Entity, Model } from '../api/models';
import { link, part } from '../lib/location';
import { EntityBadge } from './entity';

interface Place {
  name: string | null;
  title: string;
  hash: string;
}

export function coverage(model: Model, entity: Entity, place: Place): { inside: boolean; patterns: string[] } {
  const inside = place.name === null || entity.keys[place.hash] !== undefined || entity.attributes.some(({ name, stored }) => name === place.hash && stored);
  const patterns = model.patterns.filter((pattern) => pattern.index === place.name && pattern.entities.includes(entity.name)).map(({ name }) => name);
  return { inside, patterns };
}

export function CoverageMatrix({ model }: { model: Model }) {
  const places: Place[] = [{ name: null, title: 'table', hash: model.table.key[0]!.name }, ...model.table.indexes.map((index) => ({ name: index.name, title: index.name, hash: index.key[0]!.name }))];
  const entities = model.entities.filter(({ builtIn }) => !builtIn);
  return (
    <div className="scroll" role="region" aria-label="Coverage" tabIndex={0}>
      <table className="matrix">
        <thead>
          <tr>
            <th scope="col">Entity</th>
            {places.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entities.map((entity) => (
            <tr key={entity.name}>
              <th scope="row">
                <EntityBadge model={model} name={entity.name} />
              </th>
              {places.map((place) => {
                const { inside, patterns } = coverage(model, entity, place);
                if (patterns.length > 0) {
                  return (
                    <td key={place.title} className="asked">
                      <Link href={link(`/patterns/${part(model.name)}/${part(patterns[0]!)}`, { find: entity.name })} title={patterns.join(', ')} aria-label={`${patterns.length}: ${entity.name} in ${place.title} by ${patterns.join(', ')}`}>
                        {patterns.length}
                      </Link>
                    </td>
                  );
                }
                return (
                  <td key={place.title} className={inside ? 'inside' : ''}>
                    {inside ? <span title="in it, and no pattern asks">○</span> : ''}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
