import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMailbox } from './mailbox.ts';

test('what is put in is taken once, in order, and whoever waits is woken by it', async () => {
  const mailbox = createMailbox<number>(3);
  const woken = mailbox.wait(10_000);
  mailbox.put(1);
  mailbox.put(2);
  await woken;
  assert.deepEqual(mailbox.take(), [1, 2]);
  assert.deepEqual(mailbox.take(), []);
});

test('one thing too many is remembered as such, and the next ones are kept again', async () => {
  const mailbox = createMailbox<number>(2);
  for (const thing of [1, 2, 3]) mailbox.put(thing);
  await mailbox.wait(10_000);
  assert.equal(mailbox.take(), undefined);
  mailbox.put(4);
  assert.deepEqual(mailbox.take(), [4]);
});

test('waiting ends when its time is over, or when somebody says so', async () => {
  const mailbox = createMailbox<number>(1);
  await mailbox.wait(5);
  const woken = mailbox.wait(10_000);
  mailbox.wake();
  await woken;
  assert.deepEqual(mailbox.take(), []);
});
