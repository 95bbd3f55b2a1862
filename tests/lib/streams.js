// Short forms for tests of the DynamoDB Streams API, beside those of dynamo.js.

import assert from 'node:assert/strict';
import * as sdk from '@aws-sdk/client-dynamodb-streams';
import { plainItem, sleep } from './dynamo.js';

export function connectStreams(url) {
  const client = new sdk.DynamoDBStreamsClient({
    endpoint: url,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const call = (operation, input = {}) => client.send(new sdk[`${operation}Command`](input));

  async function fails(operation, input, name, message) {
    let reply;
    try {
      reply = await call(operation, input);
    } catch (error) {
      assert.equal(error.name, name, `${error.name}: ${error.message}`);
      if (message) assert.match(error.message, message);
      return error;
    }
    return assert.fail(`${operation} should fail with ${name}, got ${JSON.stringify(reply).slice(0, 300)}`);
  }

  async function shards(arn) {
    const all = [];
    let last;
    do {
      const { StreamDescription } = await call('DescribeStream', { StreamArn: arn, ExclusiveStartShardId: last, Limit: 3 });
      all.push(...StreamDescription.Shards);
      last = StreamDescription.LastEvaluatedShardId;
    } while (last);
    return all;
  }

  const iterator = async (arn, shard, type, sequence) =>
    (await call('GetShardIterator', { StreamArn: arn, ShardId: shard, ShardIteratorType: type, SequenceNumber: sequence })).ShardIterator;

  // Follows every shard from its start, also those that come later, until `enough(records)`.
  async function follow(arn, enough, { limit, seconds = 50 } = {}) {
    const records = [];
    const places = new Map();
    const end = Date.now() + seconds * 1000;
    while (!enough(records)) {
      assert.ok(Date.now() < end, `only ${records.length} records came`);
      for (const { ShardId } of await shards(arn)) {
        if (!places.has(ShardId)) places.set(ShardId, await iterator(arn, ShardId, 'TRIM_HORIZON'));
      }
      let came = 0;
      for (const [shard, place] of places) {
        if (!place) continue;
        const page = await call('GetRecords', { ShardIterator: place, Limit: limit });
        records.push(...page.Records);
        came += page.Records.length;
        places.set(shard, page.NextShardIterator);
      }
      if (came === 0) await sleep(20);
    }
    return records;
  }

  return { call, fails, shards, iterator, follow };
}

// "MODIFY {key} old -> new" with plain values.
export function brief({ eventName, dynamodb: { Keys, OldImage, NewImage } }) {
  return [eventName, plainItem(Keys), plainItem(OldImage), plainItem(NewImage)];
}
