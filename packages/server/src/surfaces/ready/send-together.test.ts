import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendTogether } from './send-together.ts';

test('answers wait until the requests of one turn are read, and are sent in their order', async () => {
  const sent: number[] = [];
  const send = sendTogether<number>((answer) => sent.push(answer));
  for (const answer of [1, 2, 3]) send(answer);
  assert.deepEqual(sent, []);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(sent, [1, 2, 3]);
  send(4);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(sent, [1, 2, 3, 4]);
});
