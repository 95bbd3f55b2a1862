import { describe, expect, it } from 'vitest';
import { type Model, readModel } from '../api/models';
import { addedLines, answering, indexRequest, keyableOf, patternName, suggest, withPattern } from './new_pattern';

const attribute = (name: string, type = 'string') => ({ name, type, required: true });

const model: Model = readModel({
  name: 'shop',
  table: {
    name: 'shop',
    key: { partition: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' } },
    indexes: [
      { name: 'GSI1', key: { partition: { name: 'GSI1PK', type: 'S' }, sort: { name: 'GSI1SK', type: 'S' } } },
      { name: 'byStatus', key: { partition: { name: 'status', type: 'S' }, sort: { name: 'at', type: 'N' } } },
    ],
  },
  entities: [
    { name: 'Order', keys: { PK: 'ORDER#{id}', SK: 'META', GSI1PK: 'ORDERS', GSI1SK: '{id}' }, attributes: [attribute('id', 'ulid'), attribute('city'), attribute('at', 'epoch_ms'), attribute('lines', 'list')] },
    { name: 'Customer', keys: { PK: 'CUSTOMER#{id}', SK: 'ORDER#{no:06}' }, attributes: [attribute('id'), attribute('no', 'integer'), attribute('city'), attribute('joinedAt', 'timestamp')] },
  ],
  patterns: [{ name: 'order', kind: 'query', entities: ['Order'], params: [{ name: 'id', type: 'ulid', required: true }] }],
});

const yaml = `model: { name: shop }

table:
  name: shop
  indexes:
    GSI1: { key: { GSI1PK: S, GSI1SK: S } }
    byStatus: { key: { status: S, at: N } }   # { not a key

entities:                # all
  Order:
    keys: { PK: "ORDER#{id}", SK: "META",   # the head
            GSI1PK: "ORDERS", GSI1SK: "{id}" }
    attributes: { id: ulid!, city: string! }
  Customer:
    keys:
      PK: "CUSTOMER#{id}"

      SK: "ORDER#{no:06}"
    attributes: { id: string! }

patterns:
  order: { query: Order, by: [id], allow: anyone }

# the end
`;

const ask = (entity: string, by: string[], sort: string | null = null) => ({ name: patternName({ entity, by }), entity, by, sort });

describe('a pattern that is missing', () => {
  it('is one that no other answers', () => {
    expect(answering(model, ask('Order', ['id']))?.name).toBe('order');
    expect(answering(model, ask('Order', ['city']))).toBeNull();
    expect(answering(model, ask('Customer', ['id']))).toBeNull();
  });
  it('can ask by what fits into a key', () => {
    expect(keyableOf(model.entities[0]!)).toEqual(['id', 'city', 'at']);
  });
  it('takes an index that its entity does not use', () => {
    expect(suggest(model, ask('Customer', ['city'], 'joinedAt'))).toEqual({
      index: model.table.indexes[0],
      isNew: false,
      keys: { GSI1PK: 'CUSTOMER#{city}', GSI1SK: '{joinedAt}' },
      query: 'customersByCity: { query: Customer, index: GSI1, by: [city], range: joinedAt, allow: "role(admin)" }',
    });
  });
  it('without an order has that of the table', () => {
    expect(suggest(model, ask('Customer', ['city', 'id']))?.keys).toEqual({ GSI1PK: 'CUSTOMER#{city}#{id}', GSI1SK: '{no}' });
    expect(suggest(model, ask('Order', ['city']))?.keys).toEqual({ byCity_pk: 'ORDER#{city}', byCity_sk: 'META' });
  });
  it('gets an index of its own otherwise, and for an order of numbers', () => {
    expect(suggest(model, ask('Order', ['city'], 'at'))).toMatchObject({ isNew: true, index: { name: 'byCity', key: [{ name: 'byCity_pk', type: 'S' }, { name: 'at', type: 'N' }] }, keys: { byCity_pk: 'ORDER#{city}' } });
    expect(suggest(model, ask('Customer', ['city'], 'no'))?.isNew).toBe(true);
    expect(suggest(model, ask('Order', ['status'], null))?.index.name).toBe('byStatus2');
  });
  it('has a name that reads', () => {
    expect([['StoryIndex', 'deleted'], ['Story', 'city'], ['Order', 'status#at']].map(([entity, by]) => patternName({ entity: entity!, by: [by!] }))).toEqual(['storyIndexesByDeleted', 'storiesByCity', 'ordersByStatusAt']);
  });
  it('says nothing before anything is asked', () => {
    expect(suggest(model, ask('Order', []))).toBeNull();
    expect(suggest(model, ask('Nobody', ['id']))).toBeNull();
  });
});

describe('the text of a model', () => {
  it('gets the index, the keys and the pattern, and nothing else changes', () => {
    const wanted = ask('Order', ['city'], 'at');
    const after = withPattern(yaml, wanted, suggest(model, wanted)!);
    expect(addedLines(yaml, after)).toEqual([
      '    byCity: { key: { byCity_pk: S, at: N } }',
      '            GSI1PK: "ORDERS", GSI1SK: "{id}", byCity_pk: "ORDER#{city}" }',
      '  ordersByCity: { query: Order, index: byCity, by: [city], range: at, allow: "role(admin)" }',
    ]);
    expect(after).toContain('# { not a key\n    byCity:');
    expect(after.endsWith('# the end\n')).toBe(true);
  });
  it('gets keys at the end of a block of them', () => {
    const wanted = ask('Customer', ['city'], 'joinedAt');
    const after = withPattern(yaml, wanted, suggest(model, wanted)!);
    expect(after).toContain('      SK: "ORDER#{no:06}"\n      GSI1PK: "CUSTOMER#{city}"\n      GSI1SK: "{joinedAt}"\n    attributes');
    expect(addedLines(yaml, after)).toHaveLength(3);
  });
  it('gets a list of indexes where it has none', () => {
    const bare = yaml.replace(/ {2}indexes:\n.*\n.*\n/, '');
    const wanted = ask('Order', ['city'], 'at');
    expect(withPattern(bare, wanted, suggest(model, wanted)!)).toContain('  name: shop\n  indexes:\n    byCity: {');
  });
  it('that is not as expected is refused', () => {
    const wanted = ask('Order', ['city']);
    expect(() => withPattern('entities:\n  Other: {}\npatterns: {}\n', wanted, suggest(model, wanted)!)).toThrow(/Order/);
  });
});

it('makes the index with all attributes that keys need', () => {
  const { index } = suggest(model, ask('Order', ['city'], 'at'))!;
  const request = indexRequest('shop', [{ AttributeName: 'PK', AttributeType: 'S' }], index);
  expect(request.AttributeDefinitions.map(({ AttributeName }) => AttributeName)).toEqual(['PK', 'byCity_pk', 'at']);
  expect(request.GlobalSecondaryIndexUpdates[0]!.Create.KeySchema).toEqual([{ AttributeName: 'byCity_pk', KeyType: 'HASH' }, { AttributeName: 'at', KeyType: 'RANGE' }]);
});
