// What the first page load transfers must stay small; `npm run build` fails when it does not.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const kFirstLoadBytes = 60 * 1024;
const kAllBytes = 300 * 1024;
const dist = new URL('../dist/', import.meta.url).pathname;

const gzipped = (path) => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length;
const files = readdirSync(dist, { recursive: true }).filter((path) => statSync(join(dist, path)).isFile());
const html = readFileSync(join(dist, 'index.html'), 'utf8');
const first = ['index.html', ...[...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1])];
const firstBytes = first.reduce((sum, path) => sum + gzipped(path), 0);
const allBytes = files.reduce((sum, path) => sum + gzipped(path), 0);

const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
console.log(`first load ${kb(firstBytes)} of ${kb(kFirstLoadBytes)}, everything ${kb(allBytes)} of ${kb(kAllBytes)} (gzip)`);
if (/<script(?![^>]*\bsrc=)|<style|\bon\w+=/.test(html)) {
  console.error('index.html holds inline code, which the content security policy refuses');
  process.exit(1);
}
if (firstBytes > kFirstLoadBytes || allBytes > kAllBytes) {
  console.error('over the budget: load more of it lazily');
  process.exit(1);
}
