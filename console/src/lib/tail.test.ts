import { describe, expect, it } from 'vitest';
import { EventParser } from './event_stream';
import { Tail, type TailRecord, changeText, keyText } from './tail';

const record = (sequence: number, more: Partial<TailRecord> = {}): TailRecord => ({ sequence: String(sequence), operation: 'INSERT', at: 0, table: 't', keys: { pk: { S: 'a' }, sk: { N: '1' } }, ...more });

describe('server-sent events', () => {
  it('come whole out of pieces that end anywhere', () => {
    const text = ': hello\n\nevent: record\nid: 7\ndata: {"a":1}\n\nid: 8\r\nevent: gap\r\ndata: one\r\ndata: two\r\n\r\n: beat\n\n';
    const whole = new EventParser().push(text);
    expect(whole).toEqual([
      { event: 'record', id: '7', data: '{"a":1}' },
      { event: 'gap', id: '8', data: 'one\ntwo' },
    ]);
    for (let at = 1; at < text.length; at++) {
      const parser = new EventParser();
      expect([...parser.push(text.slice(0, at)), ...parser.push(text.slice(at))]).toEqual(whole);
    }
  });

  it('keep what is not finished yet', () => {
    const parser = new EventParser();
    expect(parser.push('data: {"x":')).toEqual([]);
    expect(parser.push('1}\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ event: 'message', id: '', data: '{"x":1}' }]);
  });
});

describe('the tail', () => {
  it('keeps the newest records only', () => {
    const tail = new Tail(3);
    for (let at = 1; at <= 5; at++) tail.add(record(at), 0);
    expect(tail.rows.map(({ id }) => id)).toEqual(['3', '4', '5']);
    expect(tail.total).toBe(5);
  });

  it('holds records back while it is paused', () => {
    const tail = new Tail();
    tail.add(record(1), 0);
    tail.pause();
    tail.add(record(2), 0);
    tail.addGap();
    expect([tail.rows.length, tail.waiting]).toEqual([1, 2]);
    tail.resume();
    expect(tail.rows.map(({ id }) => id)).toEqual(['1', '2', 'gap 1']);
    expect(tail.waiting).toBe(0);
  });

  it('says so when a pause was too long for what is kept', () => {
    const tail = new Tail(3);
    tail.pause();
    for (let at = 1; at <= 5; at++) tail.add(record(at), 0);
    expect(tail.waiting).toBe(3);
    tail.resume();
    expect(tail.rows.map(({ id }) => id)).toEqual(['gap 1', '4', '5']);
    tail.pause();
    tail.add(record(6), 0);
    tail.resume();
    expect(tail.rows.map(({ id }) => id)).toEqual(['4', '5', '6']);
  });

  it('shows a record once, also after a new connection', () => {
    const tail = new Tail();
    tail.add(record(9), 0);
    expect(tail.add(record(9), 0)).toBe(false);
    expect(tail.add(record(10), 0)).toBe(true); // by number, not by text
    expect(tail.lastSequence).toBe('10');
  });

  it('knows how fast records come', () => {
    const tail = new Tail();
    for (let at = 1; at <= 20; at++) tail.add(record(at), at * 1000);
    expect(tail.rate(20_500)).toBe(1);
    expect(tail.rate(60_000)).toBe(0);
    expect(tail.perSecond(20_500, 4)).toEqual([1, 1, 1, 1]);
  });
});

it('says a change in words', () => {
  expect(keyText(record(1).keys)).toBe('a / 1');
  expect(changeText(record(1, { operation: 'MODIFY', old: { pk: { S: 'a' }, n: { N: '1' } }, new: { pk: { S: 'a' }, n: { N: '2' }, t: { S: 'x' } } }))).toBe('n: 1 → 2, t: absent → x');
  expect(changeText(record(1, { new: { pk: { S: 'a' }, sk: { N: '1' }, t: { S: 'x' } } }))).toBe('t: x');
  expect(changeText(record(1, { operation: 'REMOVE', old: { t: { S: 'x' } }, expired: true }))).toBe('expired · t: x');
});
