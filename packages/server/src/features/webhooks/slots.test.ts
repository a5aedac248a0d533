import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Slot, Slots } from './slots.ts';

function fill(slots: Slots, kind: 'prompt' | 'doubtful', count: number): Slot[] {
  const taken: Slot[] = [];
  for (let number = 0; number < count; number++) slots.take(kind, (slot) => taken.push(slot));
  return taken;
}

test('each kind of attempt has its share of slots and its own queue', () => {
  const slots = new Slots({ prompt: 3, doubtful: 2, total: 10, slowMs: 60_000 });
  const [prompt, doubtful] = [fill(slots, 'prompt', 5), fill(slots, 'doubtful', 5)];
  assert.deepEqual([prompt.length, doubtful.length, slots.inUse, slots.hasRoom], [3, 2, 5, false]);
  doubtful[0]?.release();
  assert.deepEqual([prompt.length, doubtful.length], [3, 3]);
  for (const slot of prompt.slice(0, 3)) slot.release();
  assert.deepEqual([prompt.length, slots.hasRoom], [5, true]);
  for (const slot of [...prompt.slice(3), ...doubtful.slice(1)]) slot.release();
  for (const slot of doubtful.slice(3)) slot.release();
  assert.equal(slots.inUse, 0);
});

test('attempts of all kinds together never exceed the total of slots', () => {
  const slots = new Slots({ prompt: 3, doubtful: 3, total: 4, slowMs: 60_000 });
  const [prompt, doubtful] = [fill(slots, 'prompt', 3), fill(slots, 'doubtful', 3)];
  assert.deepEqual([prompt.length, doubtful.length], [3, 1]);
  prompt[0]?.release();
  assert.equal(doubtful.length, 2);
});

test('a slow attempt frees its slot for prompt ones', async () => {
  const slots = new Slots({ prompt: 2, doubtful: 2, total: 10, slowMs: 40 });
  const hanging = fill(slots, 'prompt', 2);
  const waiting = fill(slots, 'prompt', 2);
  assert.deepEqual([hanging.length, waiting.length], [2, 0]);
  await sleep(80);
  assert.equal(waiting.length, 2, 'they did not have to wait for the slow ones to end');
  const doubtful = fill(slots, 'doubtful', 1);
  assert.equal(doubtful.length, 0, 'the slow ones count among the doubtful now');
  for (const slot of hanging) slot.release();
  assert.equal(doubtful.length, 1);
  for (const slot of [...waiting, ...doubtful]) slot.release();
  assert.equal(slots.inUse, 0);
});
