import { describe, expect, it } from 'vitest';
import { readModel } from '../api/models';
import { bracketOf, chipWidth, entityCounts, labelOf, readPartitions, shortened } from './collection';
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
