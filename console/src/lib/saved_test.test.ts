import { expect, it } from 'vitest';
import { testScript } from './saved_test';

const target = { endpoint: 'http://127.0.0.1:8000', region: 'us-east-1' };
const query = {
  operation: 'Query',
  request: { TableName: 't', IndexName: 'GSI1', ExpressionAttributeValues: { ':a': { S: "it's" } }, ReturnConsumedCapacity: 'INDEXES' },
  reply: { Items: [{ pk: { S: '$HOME `x`' } }], ConsumedCapacity: {} },
};

it('asks what was asked and expects what came', () => {
  const text = testScript('m byName name=x', [query], target, '2026-01-02');
  expect(text).toContain("check '1. Query GSI1' query Items \\");
  expect(text).toContain("it'\\''s");
  expect(text).toContain('$HOME `x`');
  expect(text).not.toContain('ReturnConsumedCapacity');
  expect(text).not.toContain('ConsumedCapacity');
  expect(text).toContain('endpoint=${AWS_ENDPOINT_URL_DYNAMODB-http://127.0.0.1:8000}');
});

it('expects nothing where nothing came', () => {
  const text = testScript('one', [{ operation: 'GetItem', request: { TableName: 't', Key: {} }, reply: {} }], target, 'today');
  expect(text).toMatch(/check '1\. GetItem t' get-item Item \\\n'\{[^]*\}' \\\nnull\n/);
});

it('leaves out what is no read', () => {
  expect(testScript('one', [{ operation: 'PutItem', request: {}, reply: {} }], target, 'today')).not.toContain('put-item');
});
