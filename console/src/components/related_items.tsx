// What belongs to an item: the others of its partition, and the partitions that its attributes name.

import { type TableDescription, dynamodb, type Page, keyNames } from '../api/dynamodb';
import type { Model } from '../api/models';
import { type Attribute, type Item, valueOf } from '../lib/attribute';
import { idOf, labelOf } from '../lib/collection';
import { entityOf } from '../lib/key_template';
import { type Reference, referencesOf } from '../lib/related';
import { useLoad } from '../lib/use_load';
import { EntityBadge } from './entity';
import { Loaded } from './feedback';

const kMostItems = 25;

interface Group {
  title: string;
  items: Item[];
  more: boolean;
}

async function queryPartition(table: TableDescription, hash: Attribute, sort: Attribute | null, limit: number, signal: AbortSignal): Promise<Page> {
  const [hashName, sortName] = keyNames(table.KeySchema);
  return dynamodb<Page>(
    'Query',
    {
      TableName: table.TableName,
      KeyConditionExpression: sort && sortName ? '#h = :h AND #s = :s' : '#h = :h',
      ExpressionAttributeNames: { '#h': hashName, ...(sort && sortName ? { '#s': sortName } : {}) },
      ExpressionAttributeValues: { ':h': hash, ...(sort && sortName ? { ':s': sort } : {}) },
      Limit: limit,
    },
    signal,
  );
}

async function loadRelated(table: TableDescription, model: Model | undefined, item: Item, signal: AbortSignal): Promise<Group[]> {
  const keys = keyNames(table.KeySchema);
  const own = idOf(item, keys);
  const groups: Group[] = [];
  if (keys.length > 1) {
    const page = await queryPartition(table, item[keys[0]!]!, null, kMostItems, signal);
    groups.push({ title: 'In the same partition', items: (page.Items ?? []).filter((other) => idOf(other, keys) !== own), more: page.LastEvaluatedKey !== undefined });
  }
  const references = model && model.table.key.every(({ type }) => type === 'S') ? referencesOf(item, model) : [];
  const pages = await Promise.all(references.map(async (reference: Reference) => ({ reference, page: await queryPartition(table, { S: reference.partition }, reference.sort ? { S: reference.sort } : null, 5, signal) })));
  for (const { reference, page } of pages) {
    if (page.Items?.length) groups.push({ title: reference.partition, items: page.Items, more: page.LastEvaluatedKey !== undefined });
  }
  return groups.filter(({ items }) => items.length > 0);
}

export function RelatedItems({ table, model, item, open }: { table: TableDescription; model: Model | undefined; item: Item; open: (item: Item) => void }) {
  const keys = keyNames(table.KeySchema);
  const load = useLoad(`related ${table.TableName} ${idOf(item, keys)}`, (signal) => loadRelated(table, model, item, signal));
  return (
    <section className="stack tight">
      <h3>Related items</h3>
      <Loaded load={load} lines={2}>
        {(groups) =>
          groups.length === 0 ? (
            <p className="small quiet">It is alone in its partition, and its attributes name no other one.</p>
          ) : (
            <dl className="stack tight">
              {groups.map(({ title, items, more }) => (
                <div key={title}>
                  <dt className="small quiet mono">{title}</dt>
                  <dd className="related">
                    {items.map((other) => {
                      const entity = model ? entityOf(other, model) : null;
                      return (
                        <button key={idOf(other, keys)} type="button" onClick={() => open(other)} title={keys.map((name) => valueOf(other[name])).join(' / ')}>
                          {model && <EntityBadge model={model} name={entity?.name} />}
                          <span className="mono clip">{labelOf(other, entity, keys[1]) || String(valueOf(other[keys[0]!]))}</span>
                        </button>
                      );
                    })}
                    {more && <span className="small quiet">and more</span>}
                  </dd>
                </div>
              ))}
            </dl>
          )
        }
      </Loaded>
    </section>
  );
}
