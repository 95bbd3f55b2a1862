// A server with the model of stories, tokens for its users, and requests to it.

import { fileURLToPath } from 'node:url';
import { kJwtSecret, requests, setClock as moveClock, startSystem, table, token } from '../lib/system.js';

export { token };
export const kSecret = kJwtSecret;
export const kModel = fileURLToPath(new URL('../../systems/stories/model.yaml', import.meta.url));
export const server = await startSystem('stories');
export const { call, expect: ok, expectError: fails } = requests(server);
export const { dynamodb, put, scan, update } = table(server, 'stories');
export const setClock = (change) => moveClock(server, change);

// Someone nobody has been before, so that tests do not see each other's stories.
let users = 0;
export function newUser(claims = {}) {
  users += 1;
  const sub = `user-${users}`;
  return { sub, token: token({ sub, ...claims }) };
}

export const createStory = async (user, title = 'A story') => (await ok(201, 'POST', '/v1/stories', { user, body: { title } })).json;

export async function putNode(user, storyId, id, nodeOrder, more = {}) {
  await dynamodb('PutItem', {
    TableName: 'stories',
    Item: {
      PK: { S: `USER#${user.sub}#STORY#${storyId}` },
      SK: { S: `NODE#${id}` },
      ItemType: { S: 'Node' },
      id: { S: id },
      storyId: { S: storyId },
      nodeOrder: { N: String(nodeOrder) },
      CreatedAt: { S: '2025-03-01T00:00:00.000Z' },
      UpdatedAt: { S: '2025-03-01T00:00:00.000Z' },
      version: { N: '1' },
      ...more,
    },
  });
  await update(`USER#${user.sub}#STORY#${storyId}`, 'METADATA', 'ADD nodeCount :one', { ':one': 1 });
}
