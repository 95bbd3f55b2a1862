import { describe, expect, it } from 'vitest';
import { readModel } from '../api/models';
import { bracketOf, chipOf, chipWidth, entityCounts, healthOf, labelOf, readPartitions, shortened, sparseReason } from './collection';
import { collectionSvg } from './collection_svg';
import { rangesOf } from './read_range';

const model = readModel({
  name: 'library',
  table: { name: 'library', key: { PK: 'S', SK: 'S' } },
  entities: [{ name: 'Loan', keys: { PK: 'USER#{userId}', SK: 'LOAN#{at}#{bookId}' } }],
});
const item = (SK: string) => ({ item: { PK: { S: 'USER#ann' }, SK: { S: SK } }, bytes: 3000 });
const page = { partitions: [{ key: { PK: { S: 'USER#ann' } }, items: [item('LOAN#1#a'), item('LOAN#2#b'), item('PROFILE')], more: false }], next: null };
const view = { hash: 'PK', sort: 'SK', tableKeys: ['PK', 'SK'] };
const [partition] = readPartitions(page, view, model);

const query = (extra: object) =>
  rangesOf('Query', { KeyConditionExpression: 'PK = :h AND begins_with(SK, :s)', ExpressionAttributeValues: { ':h': { S: 'USER#ann' }, ':s': { S: 'LOAN#' } }, ...extra }, view.tableKeys)[0]!;

describe('collections', () => {
  it('labels a chip by the variables of its sort key', () => {
    expect(partition!.chips.map(({ label }) => label)).toEqual(['1 a', '2 b', 'PROFILE']);
    expect([...entityCounts([partition!])]).toEqual([['Loan', 2], ['', 1]]);
    expect(partition!.bytes).toBe(9000);
  });

  it('labels by a name where the key has only ids and times, and cuts ids at the front', () => {
    const entity = readModel({ name: 'm', table: { name: 't', key: { PK: 'S' } }, entities: [{ name: 'Album', keys: { SK: 'AT#{at}' } }] }).entities[0]!;
    expect(labelOf({ SK: { S: 'AT#01M7JEPGJRV4776AH3EA9R0XTD' }, title: { S: 'Harbours' } }, entity, 'SK')).toBe('Harbours');
    expect(labelOf({ SK: { S: 'AT#01M7JEPGJRV4776AH3EA9R0XTD' } }, entity, 'SK')).toBe('…9R0XTD');
    expect(labelOf({ SK: { S: 'AT#sea' }, title: { S: 'Harbours' } }, entity, 'SK')).toBe('sea');
    expect(shortened('2026-11-16T15:13:05.592Z')).toBe('11-16 15:13');
  });

  it('brackets what a query reads, with its units', () => {
    expect(bracketOf(partition!, query({}))).toMatchObject({ bytes: 6000, units: 1 });
    const last = bracketOf(partition!, query({ Limit: 1, ScanIndexForward: false }))!;
    expect([...last.read]).toEqual([partition!.chips[1]!.id]);
    expect(last.units).toBe(0.5);
  });

  it('leaves other partitions alone', () => {
    expect(bracketOf({ ...partition!, key: { S: 'USER#ben' } }, query({}))).toBeNull();
  });

  it('grows with the logarithm of the size', () => {
    expect(chipWidth(1)).toBe(44);
    expect(chipWidth(960) - chipWidth(480)).toBe(16);
    expect(chipWidth(400 * 1024)).toBeLessThan(260);
  });
});

describe('sizes of partitions', () => {
  const sized = (id: string, bytes: number) => ({ id, key: { S: id }, chips: [], bytes, more: false });
  it('are compared with their median and with 10 GB', () => {
    const health = healthOf([sized('a', 1000), sized('b', 3000), sized('c', 9 * 1024 ** 3), sized('d', 2000)]);
    expect(health.median).toBe(2500);
    expect(health.byId.get('c')).toMatchObject({ share: 0.9, level: 'bad' });
    expect(health.byId.get('a')).toMatchObject({ skew: 0.4, level: 'good' });
  });
  it('do not matter while they are small', () => {
    const health = healthOf([sized('a', 10), sized('b', 10), sized('c', 900_000)]);
    expect(health.byId.get('c')).toMatchObject({ skew: 90_000, level: 'good' });
    expect(healthOf([]).median).toBe(0);
  });
});

it('says why an item is not in an index', () => {
  const { entities } = readModel({ name: 'm', table: { name: 't', key: { PK: 'S' } }, entities: [{ name: 'A', keys: { PK: 'A', g: 'G#{x}' }, conditional: ['g'] }, { name: 'B', keys: { PK: 'B' } }] });
  const chip = (entity: (typeof entities)[number] | null) => ({ id: '', item: { PK: { S: 'x' } }, bytes: 1, entity, label: '', left: 0 });
  expect(sparseReason(chip(entities[0]!), ['g', 'PK'])).toBe('g absent: only in some states');
  expect(sparseReason(chip(entities[1]!), ['g'])).toBe('g absent: never for these entities');
  expect(sparseReason(chip(null), ['g', 'h'])).toBe('g, h absent');
});

it('knows how much of an item an index leaves out', () => {
  const whole = { PK: { S: 'a' }, SK: { S: 'b' }, big: { S: 'x'.repeat(93) } };
  const chip = chipOf({ PK: whole.PK, SK: whole.SK }, 6, view, undefined, whole);
  expect(chip.left).toBeCloseTo(0.941, 2);
});

it('draws partitions as SVG, with all text escaped', () => {
  const evil = readPartitions({ partitions: [{ key: { PK: { S: '<script>&"' } }, items: [item('LOAN#1#a')], more: true }], next: null }, view, model);
  const { svg, height } = collectionSvg({
    title: 'a <b>',
    partitions: evil,
    brackets: new Map([[evil[0]!.id, { read: new Set([evil[0]!.chips[0]!.id]), units: 0.5, bytes: 3000 }]]),
    pattern: 'loans',
    hidden: new Set(),
    colourOf: () => ({ fill: '#fff', edge: '#000', text: '#111' }),
    paper: '#fff',
    ink: '#000',
    quiet: '#888',
  });
  expect(svg).toContain('&lt;script&gt;&amp;&quot;');
  expect(svg).not.toMatch(/<script|<b>/);
  expect(svg).toContain('loans · 1 · 0.5 RCU');
  expect(svg).toContain('1 item+');
  expect(height).toBeGreaterThan(90);
});
