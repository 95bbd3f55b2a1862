import { expect, it } from 'vitest';
import { exampleOf, readEndpoints, schemaText } from './open_api';

const document = {
  paths: {
    '/v1/x/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: { operationId: 'x.one', tags: ['x'], responses: { 200: { description: 'Done', content: { 'application/json': { schema: { $ref: '#/components/schemas/x.One' } } } } } },
      put: { requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { a: { type: 'string', maxLength: 5 }, b: { enum: ['p', 'q'] }, c: { type: 'integer' } }, required: ['a', 'b'] } } } } },
    },
  },
};

it('reads routes with what they share', () => {
  const [one, put] = readEndpoints(document);
  expect([one!.id, one!.method, one!.parameters[0]!.name, schemaText(one!.responses[0]!.schema)]).toEqual(['x.one', 'GET', 'id', 'One']);
  expect(exampleOf(put!.body!)).toEqual({ a: '', b: 'p' });
});

it('says a schema in words', () => {
  expect(schemaText({ type: 'array', items: { type: 'string' } })).toBe('list of string');
  expect(schemaText({ type: 'string', maxLength: 200 })).toBe('string, at most 200 characters');
  expect(schemaText({ anyOf: [{ $ref: '#/a/x.Image' }, { $ref: '#/a/Changed' }] })).toBe('Image or Changed');
  expect(schemaText({ type: ['integer', 'null'], minimum: 1 })).toBe('integer, from 1');
});
