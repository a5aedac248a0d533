import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStreamSlots } from './stream-slots.ts';

test('streams are bounded per caller and in total, and a slot released twice is freed once', () => {
  const slots = createStreamSlots({ perCaller: 2, perAddress: 10, siteTimes: 16, total: 3 });
  const release = slots.take('agent:a', '203.0.113.1');
  slots.take('agent:a', '203.0.113.2');
  assert.throws(() => slots.take('agent:a', '203.0.113.3'), { code: 'too_many_streams' });
  slots.take('agent:b', '203.0.113.1');
  assert.throws(() => slots.take('agent:c', '203.0.113.1'), { code: 'streams_full' });
  release();
  release();
  assert.equal(slots.taken, 2);
  slots.take('agent:a', '203.0.113.1');
  assert.throws(() => slots.take('agent:c', '203.0.113.1'), { code: 'streams_full' });
});

test('streams are bounded per client address across callers; an IPv6 network counts as one', () => {
  const slots = createStreamSlots({ perCaller: 5, perAddress: 2, siteTimes: 16, total: 100 });
  for (const [own, other] of [
    [['203.0.113.1', '203.0.113.1', '203.0.113.1'], '203.0.113.2'],
    [['2001:db8:1:2::1', '2001:db8:1:2:a::2', '2001:db8:1:2:ffff::3'], '2001:db8:1:3::1'],
  ] as const) {
    const release = slots.take('agent:a', own[0]);
    slots.take('agent:b', own[1]);
    assert.throws(() => slots.take('agent:c', own[2]), { code: 'too_many_streams', message: /network address has 2 event streams/ });
    slots.take('agent:c', other);
    release();
    slots.take('agent:c', own[2]);
  }
});

test('Y17: streams are bounded per IPv6 /48, whichever /64 they come from', () => {
  const slots = createStreamSlots({ perCaller: 5, perAddress: 2, siteTimes: 3, total: 100 });
  const open = (network: number) => slots.take(`agent:${network}`, `2001:db8:1:${network}::1`);
  const first = open(0);
  for (let network = 1; network < 6; network++) open(network);
  assert.throws(() => open(6), { code: 'too_many_streams', message: /your \/48/ });
  slots.take('agent:x', '2001:db8:2::1');
  first();
  open(6);
});
