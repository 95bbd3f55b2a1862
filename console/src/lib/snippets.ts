// The request on the screen as something to paste: AWS CLI, JavaScript, Python, curl.

export interface Target {
  endpoint: string;
  region: string;
}

export type Language = 'json' | 'cli' | 'js' | 'boto3' | 'curl';

export const kLanguages: { id: Language; title: string }[] = [
  { id: 'json', title: 'Request' },
  { id: 'cli', title: 'AWS CLI' },
  { id: 'js', title: 'JavaScript' },
  { id: 'boto3', title: 'boto3' },
  { id: 'curl', title: 'curl' },
];

// For POSIX shells: inside single quotes everything is itself, except the quote.
export const shellQuoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const kebab = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replace(/([A-Z])([A-Z][a-z])/g, '$1-$2').toLowerCase();
// Of the AWS CLI.
export const commandOf = kebab;
const snake = (name: string) => kebab(name).replaceAll('-', '_');

function cli(operation: string, request: Record<string, unknown>, { endpoint, region }: Target): string {
  const lines = [`aws dynamodb ${kebab(operation)}`];
  for (const [name, value] of Object.entries(request)) {
    // The CLI would page by itself; the request has one page.
    const option = name === 'Limit' ? 'limit' : kebab(name);
    if (name === 'ScanIndexForward' && value === false) lines.push('--no-scan-index-forward');
    else if (name === 'ConsistentRead') lines.push(value ? '--consistent-read' : '--no-consistent-read');
    else lines.push(`--${option} ${shellQuoted(typeof value === 'object' ? JSON.stringify(value) : String(value))}`);
  }
  lines.push(`--endpoint-url ${shellQuoted(endpoint)}`, `--region ${region}`);
  if ('Limit' in request) lines.push('--no-paginate');
  return lines.join(' \\\n    ');
}

const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

// Keys of an object literal need quotes only when they are no names.
function jsLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}

function js(operation: string, request: Record<string, unknown>, { endpoint, region }: Target): string {
  return [
    `import { DynamoDBClient, ${operation}Command } from '@aws-sdk/client-dynamodb';`,
    '',
    `const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)}, region: ${JSON.stringify(region)} });`,
    `const reply = await client.send(new ${operation}Command(${jsLiteral(request)}));`,
    'console.log(reply);',
  ].join('\n');
}

export function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((element) => `${inner}${pythonLiteral(element, inner)},\n`).join('')}${indent}]`;
  }
  const entries = Object.entries(value as object);
  return entries.length === 0 ? '{}' : `{\n${entries.map(([name, element]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(element, inner)},\n`).join('')}${indent}}`;
}

function boto3(operation: string, request: Record<string, unknown>, { endpoint, region }: Target): string {
  const args = Object.entries(request).map(([name, value]) => `    ${name}=${pythonLiteral(value, '    ')},`);
  return [
    'import boto3',
    '',
    `client = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)}, region_name=${JSON.stringify(region)})`,
    `reply = client.${snake(operation)}(`,
    ...args,
    ')',
    'print(reply)',
  ].join('\n');
}

function curl(operation: string, request: Record<string, unknown>, { endpoint, region }: Target): string {
  return [
    `curl -sS ${shellQuoted(endpoint)}`,
    `--aws-sigv4 aws:amz:${region}:dynamodb --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY"`,
    `-H 'X-Amz-Target: DynamoDB_20120810.${operation}'`,
    "-H 'Content-Type: application/x-amz-json-1.0'",
    `-d ${shellQuoted(JSON.stringify(request))}`,
  ].join(' \\\n    ');
}

export function snippet(language: Language, operation: string, request: Record<string, unknown>, target: Target): string {
  switch (language) {
    case 'json':
      return indented(JSON.stringify(request, null, 2), '');
    case 'cli':
      return cli(operation, request, target);
    case 'js':
      return js(operation, request, target);
    case 'boto3':
      return boto3(operation, request, target);
    case 'curl':
      return curl(operation, request, target);
  }
}

// A call of the systems API; the token stays a variable of the shell.
export function restCurl(url: string, method = 'GET', body?: string): string {
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`, '-H "Authorization: Bearer $TOKEN"'];
  if (body) lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(body)}`);
  return lines.join(' \\\n    ');
}
