// A small test runner: suites in order, tests in order, a line a test, a fixed last line.
//
//   const test = suite('put_item', { before, after });
//   test('what holds', async () => { ... });

import { inspect } from 'node:util';

const suites = [];
const kTestSeconds = 240;  // on a busy machine; what hangs ends all the same

export class Skip extends Error {}
export function skip(why) {
  throw new Skip(why);
}

export function suite(name, hooks = {}) {
  const entry = { name, hooks, tests: [] };
  suites.push(entry);
  return (title, body, { seconds = kTestSeconds } = {}) => entry.tests.push({ title, body, seconds });
}

async function withDeadline(promise, seconds) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function explain(error) {
  if (!(error instanceof Error)) return inspect(error);
  const where = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.includes('_test.js'))
    .slice(0, 2);
  const text = `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`;
  return [...text.split('\n').slice(0, 24), ...where].map((line) => `       ${line}`).join('\n');
}

// Runs every suite whose "suite: title" holds the filter. Returns the number of failures.
export async function runAll({ filter = '', concurrency = 1 } = {}) {
  let passed = 0;
  let failed = 0;
  const report = (name, error) => {
    if (error instanceof Skip) console.log(`skip ${name} (${error.message})`);
    else if (error) {
      failed += 1;
      console.log(`FAIL ${name}\n${explain(error)}`);
    } else {
      passed += 1;
      console.log(`ok   ${name}`);
    }
  };
  const runSuite = async ({ name, hooks, tests }) => {
    const wanted = tests.filter(({ title }) => `${name}: ${title}`.includes(filter));
    if (wanted.length === 0) return;
    try {
      await withDeadline(Promise.resolve(hooks.before?.()), 300);
    } catch (error) {
      report(`${name}: set-up`, error);
      failed += wanted.length - 1;
      return;
    }
    for (const { title, body, seconds } of wanted) {
      try {
        await withDeadline(body(), seconds);
        report(`${name}: ${title}`);
      } catch (error) {
        report(`${name}: ${title}`, error);
      }
    }
    await hooks.after?.().catch((error) => report(`${name}: clean-up`, error));
  };
  const queue = [...suites];
  const worker = async () => {
    while (queue.length > 0) await runSuite(queue.shift());
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  console.log(`${passed} passed, ${failed} failed`);
  return failed;
}
