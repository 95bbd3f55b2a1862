import { expect, it } from 'vitest';
import { readModel, rowsOf, withText } from './models';

const yaml = `model: { name: m, path: /m }
entities:
  Story:
    keys: { PK: "A#{a}" }
    rows:                    # what follows it
      - { put: StoryIndex, when: "x" }
      - { put: Other, copy: [a] }
    visible: "true"
  Node:
    keys: { PK: "B" }
operations:
  write:
    write:
      - { put: Story }
`;

it('finds the rows of entities in the text', () => {
  expect([...rowsOf(yaml)]).toEqual([['Story', ['StoryIndex', 'Other']]]);
});

it('reads what the server answers', () => {
  const model = readModel({
    name: 'm',
    title: 'M',
    base: '/v1/m',
    yaml,
    table: { name: 't', marker: 'kind', ttl: null, key: { partition: { name: 'PK', type: 'S' }, sort: { name: 'SK', type: 'S' } }, indexes: [{ name: 'I', key: { partition: { name: 'x', type: 'N' } }, projection: 'INCLUDE', projected: ['a'] }] },
    entities: [
      { name: 'Story', builtIn: false, keys: { PK: 'A#{a}', x: '{b}' }, conditional: ['x'], marker: { attribute: 'kind', value: 'S' }, attributes: [{ name: 'state', type: 'enum', values: ['p', 'q'] }] },
      { name: 'Outbox', builtIn: true, keys: { PK: 'OUTBOX' }, marker: null, attributes: [] },
    ],
    patterns: [{ name: 'one', doc: 'M-1', kind: 'query', entities: ['Story'], index: 'I', params: [{ name: 'state', type: 'enum', required: true }], allow: 'anyone', path: null, route: null }],
  });
  expect(model.path).toBe('/v1/m');
  expect(model.table.key.map(({ name }) => name)).toEqual(['PK', 'SK']);
  expect(model.table.indexes[0]).toEqual({ name: 'I', key: [{ name: 'x', type: 'N' }], project: ['a'] });
  expect(model.entities[0]).toMatchObject({ marker: 'S', rows: ['StoryIndex', 'Other'], keys: { PK: { when: null }, x: { template: '{b}' } } });
  expect(model.entities[0]!.keys.x!.when).not.toBeNull();
  expect([...model.colours.keys()]).toEqual(['Story']);
  expect(model.patterns[0]).toMatchObject({ id: 'M-1', path: '/v1/m/patterns/one', params: [{ enum: ['p', 'q'] }] });
});

it('takes the text later, when the list has none', () => {
  const model = readModel({ name: 'm', table: { name: 't', key: { PK: 'S' } }, entities: [{ name: 'Story', keys: { PK: 'A#{a}' } }] });
  expect([model.yaml, model.entities[0]!.rows]).toEqual(['', []]);
  const whole = withText(model, yaml);
  expect([whole.yaml, whole.entities[0]!.rows]).toEqual([yaml, ['StoryIndex', 'Other']]);
});
