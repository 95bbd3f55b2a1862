// Runs the files of this folder against a server of its own, or against GATELEG_TEST_ENDPOINT
// (an emulator's URL, or `aws:REGION` with AWS credentials in the environment).

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from '../lib/dynamo.js';
import { runAll, suite } from '../lib/runner.js';
import { startServer } from '../lib/server.js';

const target = process.env.GATELEG_TEST_ENDPOINT;
let server;
if (target?.startsWith('aws:')) {
  const region = target.slice(4);
  connect(`https://dynamodb.${region}.amazonaws.com`, { region, isLocal: false });
} else if (target) {
  connect(target);
} else {
  server = await startServer();
  connect(server.url);
}

const files = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('_test.js'))
  .sort();
for (const file of files) await import(`./${file}`);

if (server) {
  suite('server')('ends with exit code 0 on SIGTERM', async () => {
    const { code, signal } = await server.stop();
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log.slice(-4000));
  });
}

process.exit((await runAll({ filter: process.argv[2] })) > 0 ? 1 : 0);
