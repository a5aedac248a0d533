/** Texts about orders take their numbers from `orderDurations`; a hard-coded number would become wrong when the rule changes. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..', '..');

const ABOUT_ORDERS = [
  'packages/contract/src/{orders,disputes,workspaces,x402}/*.ts',
  'packages/server/src/features/{orders,disputes,workspaces,x402,audit,notifications}/**/*.ts',
  'packages/server/src/surfaces/pages/*.ts',
  'packages/web/src/pages/{dispute,hire,home,order,orders,sell,service,workspace}/**/*.{ts,tsx}',
];

/** The durations of the table as people write them. */
const TYPED_IN = /\b(?:48|24|forty-eight)[ -]?(?:more )?h(?:ours?)?\b|\b(?:3|7|30|three|seven|thirty)[ -]days?\b/i;

/** Hours and days that are no duration of an order. */
const OTHER = [/in 24 h </, /label: '30 days'/, /Last 30 days, completed/];

test('texts about orders contain no hard-coded durations', async () => {
  const found: string[] = [];
  for await (const file of glob(ABOUT_ORDERS, { cwd: ROOT })) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      const isComment = /^\s*(?:\/?\*|\/\/)/.test(line);
      if (!isComment && TYPED_IN.test(line) && !OTHER.some((other) => other.test(line))) found.push(`${file}:${index + 1} ${line.trim()}`);
    }
  }
  assert.deepEqual(found, []);
});
