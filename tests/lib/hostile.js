// Every route of a system, badly asked. The OpenAPI document says what there is; nobody has to list routes here.
//
// refusesBadRequests   malformed and oversized bodies, `#` and worse in every id, fields nobody may set: 4xx, the field is
//                      named, and nothing in the table has changed; `#` in texts that may have it breaks nothing
// keepsPrivate         somebody's private things, by every list and every id, as others: never shown, never changed

import assert from 'node:assert/strict';
import { groupBy } from './invariants.js';

const kAtOnce = 16;
const kMethods = ['get', 'put', 'post', 'patch', 'delete'];

// --- the document

// [{method, path, label, params: {path, query}, body (schema) or undefined}]
async function routesOf({ call, document }) {
  const { json } = await call('GET', document);
  assert.ok(json?.paths, 'no OpenAPI document');
  const routes = [];
  for (const [path, methods] of Object.entries(json.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!kMethods.includes(method)) continue;
      const params = groupBy(operation.parameters ?? [], (one) => one.in);
      routes.push({
        method: method.toUpperCase(),
        path,
        label: `${method.toUpperCase()} ${path}`,
        params: { path: params.get('path') ?? [], query: params.get('query') ?? [] },
        hasKey: (params.get('header') ?? []).some(({ name }) => name === 'Idempotency-Key'),
        body: operation.requestBody?.content['application/json']?.schema,
        isLive: operation.responses['200']?.content?.['text/event-stream'] !== undefined,  // events_test.js has those
      });
    }
  }
  return routes;
}

// A value that fits the schema as far as the schema tells.
function sample(schema) {
  if (schema.enum) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}));
    case 'object':
      return sampleBody(schema);
    default:
      return sampleText(schema);
  }
}
const kTexts = ['aaaaaaaa', '01JN00000000000000000000A1', '0195541e-7b00-7000-8000-000000000001', 'a@example.com', '2025-03-01T00:00:00.000Z', 'https://a.example/', 'en', '2025-03', '20250301', '5.00'];
function sampleText(schema) {
  if (schema.format === 'date-time') return '2025-03-01T00:00:00.000Z';
  const fits = (text) => (schema.pattern ? new RegExp(schema.pattern, 'u').test(text) : true) && text.length <= (schema.maxLength ?? 1000);
  return kTexts.find(fits) ?? 'x';
}
// What an id may look like, if the schema says nothing: one of a kind that is never too short or long.
const sampleId = (schema) => (schema.pattern || schema.enum || schema.format ? sample(schema) : kTexts[2]);
const sampleBody = (schema) =>
  Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));

function pathOf(route, values = {}) {
  let path = route.path;
  for (const { name, schema } of route.params.path) path = path.replace(`{${name}}`, values[name] ?? encodeURIComponent(sampleId(schema)));
  return path;
}
const queryOf = (route, values = {}) => {
  const asked = route.params.query.filter(({ name, required }) => required || name in values);
  const text = asked.map(({ name, schema }) => `${name}=${values[name] ?? encodeURIComponent(sample(schema))}`).join('&');
  return text && `?${text}`;
};

// --- what is sent

const kForged = ['a%23b', '%23', 'a%23METADATA', '%00', '%ff', 'x'.repeat(3000)];
const kBadTexts = ['', '{', '[]', '7', 'null', '"text"', '{"a":1', '{"a":1} {', "{'a':1}", '{"a":1,"a":2}', '{"\\ud800":1}', '['.repeat(20_000)];
// What decides who owns a thing, who somebody is and what they have; and how it is stored.
const kNotYours = ['PK', 'sk', 'GSI1PK', 'ttl', 'EntityType', 'type_', 'id_', 'version', 'ownerId', 'createdBy', 'createdAt', 'role', 'roles', 'isAdmin', 'credits', 'balance', 'pscBalance', 'likeCount', 'isEmailVerified', '__proto__x', 'constructor'];

// A value of another type than the schema's, or undefined if everything is allowed.
function wrongTypes(schema) {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (!type) return [];
  return [7.5, true, 'a#b', ['x'], { x: 1 }].filter((value) => {
    if (type === 'string') return typeof value !== 'string';
    if (type === 'integer' || type === 'number') return typeof value !== 'number' || type === 'integer';
    if (type === 'boolean') return typeof value !== 'boolean';
    if (type === 'array') return !Array.isArray(value);
    return typeof value !== 'object' || Array.isArray(value);
  });
}
// Values of the right type that the schema excludes.
function outside(schema) {
  const values = [];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') {
    if (schema.maxLength) values.push('x'.repeat(schema.maxLength + 1));
    if (schema.enum) values.push('a#b');
    if (schema.pattern && !new RegExp(schema.pattern, 'u').test('a#b')) values.push('a#b', 'a\u0000b');
    if (schema.minLength) values.push('');
  }
  if (type === 'integer' || type === 'number') {
    if (schema.maximum !== undefined) values.push(schema.maximum + 1);
    if (schema.minimum !== undefined) values.push(schema.minimum - 1);
  }
  if (type === 'array' && schema.maxItems) values.push(Array.from({ length: schema.maxItems + 1 }, (_, at) => sample(schema.items ?? {}) + String(at)));
  return values;
}

// What no schema excludes, and what may yet be too much, or divide a key.
const perhaps = (schema) => (schema.type === 'string' && !schema.pattern && !schema.enum && !schema.format ? ['a#b', '#', 'x'.repeat(500_000)] : []);

// Every bad request to that route: {what, path, body (text or JSON), headers, field (to be named)}.
function* badRequests(route) {
  const good = route.body && sampleBody(route.body);
  const target = pathOf(route) + queryOf(route);
  for (const { name } of route.params.path) {
    for (const text of kForged) yield { what: `${name}=${text.slice(0, 20)}`, path: pathOf(route, { [name]: text }) + queryOf(route), body: good, isId: true };
  }
  for (const { name, schema } of route.params.query) {
    const isText = schema.type === 'string' && !schema.enum && !schema.format;
    for (const text of isText ? ['%00', 'x'.repeat(5000)] : ['%23', 'x%00']) {
      yield { what: `?${name}=${text.slice(0, 20)}`, path: pathOf(route) + queryOf(route, { [name]: text }), body: good, isId: true };
    }
  }
  yield { what: 'an unknown parameter', path: `${target}${target.includes('?') ? '&' : '?'}nobodyKnows=1`, body: good };
  if (!route.body) {
    return;
  }
  for (const text of kBadTexts) {
    if (text === '' && (route.body.required ?? []).length === 0) continue;
    yield { what: `body ${text.slice(0, 20)}`, path: target, body: text };
  }
  yield { what: 'a body of two megabytes', path: target, body: JSON.stringify({ ...good, x: 'x'.repeat(2 << 20) }), isLarge: true };
  yield { what: 'another content type', path: target, body: JSON.stringify(good), headers: { 'content-type': 'text/plain' } };
  const known = route.body.properties ?? {};
  for (const name of route.body.required ?? []) {
    const { [name]: left, ...rest } = good;
    yield { what: `without ${name}`, path: target, body: rest, field: name };
  }
  for (const [name, schema] of Object.entries(known)) {
    for (const value of [...wrongTypes(schema), ...outside(schema)]) {
      yield { what: `${name} = ${JSON.stringify(value).slice(0, 30)}`, path: target, body: { ...good, [name]: value }, field: name };
    }
  }
  // More than a number can be: the reader of the text knows no field yet.
  for (const name of Object.keys(known)) yield { what: `${name} = 1e300`, path: target, body: { ...good, [name]: 1e300 } };
  for (const [name, schema] of Object.entries(known)) {
    for (const value of perhaps(schema)) {
      yield { what: `${name} = ${value.slice(0, 20)}`, path: target, body: { ...good, [name]: value }, perhaps: true };
    }
  }
  if (route.body.additionalProperties !== false) return;
  for (const name of kNotYours) {
    if (!(name in known)) yield { what: `with ${name}`, path: target, body: { ...good, [name]: 'x' }, field: name, unknown: true };
  }
}

// --- asking

let keys = 0;
const keyOf = ({ hasKey }) => (hasKey ? `hostile-${(keys += 1)}` : undefined);

async function inParallel(list, work) {
  const queue = [...list];
  await Promise.all(Array.from({ length: kAtOnce }, async () => {
    while (queue.length > 0) await work(queue.shift());
  }));
}

const textOf = (item) => JSON.stringify(item, Object.keys(item).sort());
const byKey = (items, [hash, sort]) => new Map(items.map((item) => [`${item[hash]} / ${item[sort]}`, textOf(item)]));

function differences(before, after) {
  const changed = [];
  for (const [key, text] of after) if (before.get(key) !== text) changed.push(`${before.has(key) ? 'changed' : 'new'}: ${key}`);
  for (const key of before.keys()) if (!after.has(key)) changed.push(`gone: ${key}`);
  return changed;
}

function wrongForm(reply) {
  const { error } = reply.json ?? {};
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return 'no error in the form of errors';
  return error.requestId === reply.headers.get('x-request-id') ? undefined : 'another request id';
}
// A provider that is not configured is said so with 503.
const isRefusal = ({ status, json }) => (status >= 400 && status < 500) || (status === 503 && json?.error?.code === 'ProviderNotConfigured');

// An id that cannot be has nothing: a list without items, a count of 0.
const isEmpty = ({ status, json }) =>
  status === 200 && json && (json.items ? json.items.length === 0 : !json.changed && Object.values(json).every((value) => value === 0 || typeof value === 'boolean' || value === null));

const namesField = ({ error }, field) => {
  const named = [error.field, ...(Array.isArray(error.details) ? error.details.map((one) => one.field) : [])].filter(Boolean);
  return named.some((name) => name === field || name.startsWith(`${field}.`) || name.startsWith(`${field}[`));
};

// `system`: {call (absolute paths), document, scan, keys: ['PK', 'SK'], ignore: item => is it written by any request}.
// `caller` may call everything. `allow`: what a route may answer otherwise, (route, bad, reply) => boolean.
export async function refusesBadRequests(system, caller, { allow = () => false, skip = () => false } = {}) {
  const routes = (await routesOf(system)).filter((route) => !skip(route));
  const read = async () => byKey((await system.scan()).filter((item) => !system.ignore(item)), system.keys);
  const before = await read();
  const wrong = [];
  let sent = 0;
  const all = routes.flatMap((route) => [...badRequests(route)].map((bad) => ({ route, bad })));
  const ask = async ({ route, bad }) => {
    sent += 1;
    let reply;
    const complain = (why) => wrong.push(`${route.label}, ${bad.what}: ${why}${reply ? `: ${reply.status} ${reply.body.slice(0, 200)}` : ''}`);
    // A server may close the connection on a body it does not want, which may take the next request with it.
    for (let tries = 1; !reply; tries += 1) {
      try {
        reply = await system.call(route.method, bad.path, { user: caller, body: bad.body, headers: bad.headers, key: keyOf(route) });
      } catch (error) {
        if (tries < 4) continue;
        if (!bad.isLarge) complain(error.cause ?? error);
        return;
      }
    }
    if (allow(route, bad, reply)) return;
    if (bad.perhaps && reply.status < 400) return;
    if (bad.isId && isEmpty(reply)) return;
    if (!isRefusal(reply)) complain('not refused');
    else if (wrongForm(reply)) complain(wrongForm(reply));
    else if (bad.unknown && reply.status === 400 && reply.json.error.code !== 'UnknownField') complain('not UnknownField');
    else if (bad.field && ['ValidationFailed', 'UnknownField'].includes(reply.json.error.code) && !namesField(reply.json, bad.field)) {
      complain(`does not name ${bad.field}`);
    }
  };
  const report = () => assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${sent} bad requests to ${routes.length} routes`);
  await inParallel(all.filter(({ bad }) => !bad.perhaps), ask);
  report();
  const changed = differences(before, await read());
  assert.deepEqual(changed.slice(0, 20), [], `${changed.length} items are not as they were`);
  await inParallel(all.filter(({ bad }) => bad.perhaps), ask);
  report();
  return sent;
}

// Values for every parameter of a route, from `values` by the parameter's name: each combination, as far as 40.
function combinations(params, values) {
  let all = [{}];
  for (const { name, schema } of params) {
    const candidates = (values[name] ?? [sampleId(schema)]).map((value) => encodeURIComponent(value));
    all = all.flatMap((one) => candidates.map((value) => ({ ...one, [name]: value }))).slice(0, 40);
  }
  return all;
}

// What `owner` keeps to themselves holds the text `secret`. `values`: ids by the name of a parameter, the owner's own among
// them. The owner must see the secret by some route, the `others` by none; nor may they change an item that holds it.
export async function keepsPrivate(system, { owner, others, secret, values, atLeast = 1, skip = () => false }) {
  const routes = (await routesOf(system)).filter((route) => !skip(route));
  const held = async () => byKey((await system.scan((item) => !system.ignore(item) && textOf(item).includes(secret))), system.keys);
  const before = await held();
  assert.ok(before.size > 0, 'nothing to keep');
  const wrong = [];
  const shown = new Set();
  const requests = routes.flatMap((route) =>
    combinations([...route.params.path, ...route.params.query.filter(({ name, required }) => required || name in values)], values).map((chosen) => ({
      route,
      path: pathOf(route, chosen) + queryOf(route, chosen),
    })),
  );
  const reads = requests.filter(({ route }) => route.method === 'GET' && !route.isLive);
  await inParallel(reads, async ({ route, path }) => {
    if ((await system.call('GET', path, { user: owner })).body.includes(secret)) shown.add(route.label);
  });
  assert.ok(shown.size >= atLeast, `the owner sees it by ${shown.size} routes: ${[...shown].join(', ')}`);
  for (const other of others) {
    await inParallel(reads, async ({ route, path }) => {
      const reply = await system.call('GET', path, { user: other });
      if (reply.status >= 500 && reply.json?.error?.code !== 'ProviderNotConfigured') wrong.push(`${route.label}: ${reply.status} ${reply.body.slice(0, 200)}`);
      if (reply.body.includes(secret)) wrong.push(`${route.label} (${path}) shows it to ${other?.sub ?? other?.id ?? 'anybody'}`);
    });
    await inParallel(requests.filter(({ route }) => route.method !== 'GET'), async ({ route, path }) => {
      const reply = await system.call(route.method, path, { user: other, body: route.body && sampleBody(route.body), key: keyOf(route) });
      if (reply.status >= 500 && reply.json?.error?.code !== 'ProviderNotConfigured') wrong.push(`${route.label}: ${reply.status} ${reply.body.slice(0, 200)}`);
      if (reply.body.includes(secret)) wrong.push(`${route.label} (${path}) shows it to ${other?.sub ?? other?.id ?? 'anybody'}`);
    });
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} replies`);
  assert.deepEqual(differences(before, await held()), [], 'others have changed it');
  return { routes: shown.size, requests: requests.length };
}
