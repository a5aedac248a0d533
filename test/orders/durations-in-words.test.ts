/** Texts about orders take their numbers from `orderDurations`; a hard-coded number would become wrong when the rule changes. */
import assert from 'node:assert/strict';
import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..', '..');

const ABOUT_ORDERS = [
  ...['orders', 'x402'].map((noun) => `packages/contract/src/${noun}`),
  ...['orders', 'x402', 'audit', 'notifications'].map((feature) => `packages/server/src/features/${feature}`),
  'packages/server/src/surfaces/pages',
  ...['agents/service', 'hire', 'home', 'orders', 'sell', 'services'].map((page) => `packages/web/src/pages/${page}`),
];

/** Folders under these whose durations belong to something else: limits of a wallet, the daily sweep of Earn. */
const NOT_ABOUT_ORDERS = ['packages/web/src/pages/sell/{wallet,earn}/**'];

/** Durations of orders as people write them. */
const TYPED_IN = /\b(?:48|24|forty-eight)[ -]?(?:more )?h(?:ours?)?\b|\b(?:3|7|30|three|seven|thirty)[ -]days?\b/i;

/** Hours and days that are not durations of an order. */
const OTHER = [/in 24 h </, /label: '30 days'/, /Last 30 days, completed/, /last three days of October/];

test('texts about orders contain no hard-coded durations', async () => {
  const found: string[] = [];
  for (const folder of ABOUT_ORDERS) assert.ok((await stat(path.join(ROOT, folder))).isDirectory(), folder);
  const sources = ABOUT_ORDERS.map((folder) => `${folder}/**/*.{ts,tsx}`);
  for await (const file of glob(sources, { cwd: ROOT, exclude: NOT_ABOUT_ORDERS })) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      const isComment = /^\s*(?:\/?\*|\/\/)/.test(line);
      if (!isComment && TYPED_IN.test(line) && !OTHER.some((other) => other.test(line))) found.push(`${file}:${index + 1} ${line.trim()}`);
    }
  }
  assert.deepEqual(found, []);
});
