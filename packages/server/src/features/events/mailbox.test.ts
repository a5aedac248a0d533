import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailbox } from './mailbox.ts';

test('a mailbox returns items once, in order, and wakes a waiter', async () => {
  const mailbox = createMailbox<number>(3);
  const woken = mailbox.wait(10_000);
  mailbox.put(1);
  mailbox.put(2);
  await woken;
  assert.deepEqual(mailbox.take(), [1, 2]);
  assert.deepEqual(mailbox.take(), []);
});

test('a mailbox reports an overflow at the next take, then keeps items again', async () => {
  const mailbox = createMailbox<number>(2);
  for (const item of [1, 2, 3]) mailbox.put(item);
  await mailbox.wait(10_000);
  assert.equal(mailbox.take(), undefined);
  mailbox.put(4);
  assert.deepEqual(mailbox.take(), [4]);
});

test('waiting for a mailbox ends after the timeout or by wake()', async () => {
  const mailbox = createMailbox<number>(1);
  await mailbox.wait(5);
  const woken = mailbox.wait(10_000);
  mailbox.wake();
  await woken;
  assert.deepEqual(mailbox.take(), []);
});
