import { expect, it } from 'vitest';
import type { Item } from './attribute';
import { exportText, stamp } from './export';

const items: Item[] = [
  { pk: { S: 'a' }, n: { N: '12345678901234567890.5' }, text: { S: 'say "hi",\nthere' } },
  { pk: { S: 'b' }, tags: { SS: ['x', 'y'] }, on: { BOOL: false }, empty: { S: '' } },
];

it('writes lines of plain JSON that lose nothing', () => {
  expect(exportText('jsonl', items, ['pk'])).toBe('{"pk":"a","n":{"$n":"12345678901234567890.5"},"text":"say \\"hi\\",\\nthere"}\n{"pk":"b","tags":{"$ss":["x","y"]},"on":false,"empty":""}\n');
});

it('writes the lines of an export', () => {
  expect(exportText('dynamodb', items.slice(1), ['pk'])).toBe('{"Item":{"pk":{"S":"b"},"tags":{"SS":["x","y"]},"on":{"BOOL":false},"empty":{"S":""}}}\n');
});

it('writes CSV with the keys first', () => {
  expect(exportText('csv', items, ['pk'])).toBe('pk,empty,n,on,tags,text\r\na,,12345678901234567890.5,,,"say ""hi"",\nthere"\r\nb,"",,false,"{""$ss"":[""x"",""y""]}",\r\n');
});

it('names files by the time', () => {
  expect(stamp(Date.UTC(2025, 2, 1, 12, 0, 5))).toBe('20250301-120005');
});
