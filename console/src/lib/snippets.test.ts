import { describe, expect, it } from 'vitest';
import { pythonLiteral, restCurl, shellQuoted, snippet } from './snippets';

const target = { endpoint: 'http://127.0.0.1:8000', region: 'us-east-1' };
const request = {
  TableName: 'gallery',
  KeyConditionExpression: '#n0 = :v0',
  ExpressionAttributeNames: { '#n0': 'PK' },
  ExpressionAttributeValues: { ':v0': { S: "it's" } },
  ScanIndexForward: false,
  Limit: 5,
};

describe('snippet', () => {
  it('writes an AWS CLI call whose quotes survive the shell', () => {
    const text = snippet('cli', 'Query', request, target);
    expect(text).toContain('aws dynamodb query \\\n    --table-name gallery');
    expect(text).toContain("--key-condition-expression '#n0 = :v0'");
    expect(text).toContain(`--expression-attribute-values '{":v0":{"S":"it'\\''s"}}'`);
    expect(text).toContain('--no-scan-index-forward');
    expect(text).toContain('--endpoint-url http://127.0.0.1:8000');
    expect(snippet('cli', 'BatchGetItem', {}, target)).toContain('aws dynamodb batch-get-item');
  });

  it('writes JavaScript with plain names as keys', () => {
    const text = snippet('js', 'Query', request, target);
    expect(text).toContain('new QueryCommand({\n  TableName: "gallery"');
    expect(text).toContain('"#n0": "PK"');
    expect(text).toContain('endpoint: "http://127.0.0.1:8000"');
  });

  it('writes Python values', () => {
    expect(snippet('boto3', 'Query', request, target)).toContain('reply = client.query(\n    TableName="gallery",');
    expect(snippet('boto3', 'Query', request, target)).toContain('ScanIndexForward=False,');
    expect(pythonLiteral({ a: [true, null], b: {} })).toBe('{\n    "a": [\n        True,\n        None,\n    ],\n    "b": {},\n}');
  });

  it('writes curl with a signature', () => {
    expect(snippet('curl', 'Query', request, target)).toContain("-H 'X-Amz-Target: DynamoDB_20120810.Query'");
    expect(restCurl('http://h/v1/x?a=1', 'POST', '{}')).toBe(
      "curl -sS -X POST 'http://h/v1/x?a=1' \\\n    -H \"Authorization: Bearer $TOKEN\" \\\n    -H 'Content-Type: application/json' \\\n    -d '{}'",
    );
  });
});

it('quotes for the shell only what needs it', () => {
  expect(shellQuoted('plain-1.0')).toBe('plain-1.0');
  expect(shellQuoted('$HOME `x`')).toBe("'$HOME `x`'");
  expect(shellQuoted('')).toBe("''");
});
