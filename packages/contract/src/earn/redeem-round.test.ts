import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { earnLimits } from './limits.ts';
import { planRound, type Waiting } from './redeem-round.ts';

const waits = (id: string, unitsLeft: bigint, more: Partial<Waiting> = {}): Waiting => ({
  id,
  unitsLeft,
  state: 'waiting',
  refusals: 0,
  ...more,
});
const roomFor = (room: bigint, underWay = 0) => ({ room, underWay, isWorthACall: (units: bigint) => units >= 10n });
const idsOf = (round: ReturnType<typeof planRound>) => round.map(({ id, units }) => `${id}:${units}`);

test('Y05: 200 dust withdrawals at the head of the queue and the honest one behind them are redeemed in one round', () => {
  const queue = [...Array(200).keys()].map((n) => waits(String(n), 1n));
  const round = planRound([...queue, waits('honest', 150n)], roomFor(1_000n));
  assert.equal(round.length, 201);
  assert.deepEqual(round.at(-1), { id: 'honest', units: 150n });
});

test('C26: the first withdrawal that the venue cannot pay whole gets a part worth a call, and none passes it', () => {
  const queue = [waits('a', 40n), waits('b', 100n), waits('c', 5n)];
  assert.deepEqual(idsOf(planRound(queue, roomFor(90n))), ['a:40', 'b:50']);
  assert.deepEqual(idsOf(planRound(queue, roomFor(45n))), ['a:40'], 'a part of 5 is worth no call');
  assert.deepEqual(idsOf(planRound(queue, roomFor(90n, 1))), ['a:40'], 'while a call is under way, no parts');
  assert.deepEqual(planRound(queue, roomFor(0n)), []);
});

test('a round skips withdrawals whose call is under way, and limits concurrent redemptions', () => {
  assert.deepEqual(idsOf(planRound([waits('a', 9n, { state: 'under_way' }), waits('b', 9n)], roomFor(20n, 1))), ['b:9']);
  const many = [...Array(earnLimits.redemptionsAtOnce + 9).keys()].map((n) => waits(String(n), 1n));
  assert.equal(planRound(many, roomFor(10n ** 6n)).length, earnLimits.redemptionsAtOnce);
  assert.equal(planRound(many, roomFor(10n ** 6n, earnLimits.redemptionsAtOnce)).length, 0);
});

test('Y05: a withdrawal that the venue refuses keeps its units reserved for three refusals, then later ones pass it', () => {
  const refused = (refusals: number) => waits('a', 80n, { state: 'refused', refusals });
  const others = [waits('b', 15n), waits('c', 15n)];
  assert.deepEqual(idsOf(planRound([refused(1), ...others], roomFor(100n))), ['b:15'], 'what is free beyond its part');
  assert.deepEqual(idsOf(planRound([refused(earnLimits.refusalsThatReserve + 1), ...others], roomFor(100n))), ['b:15', 'c:15']);
  const crowd = [...Array(20).keys()].map((n) => waits(String(n), 1n));
  assert.equal(planRound([refused(1), ...crowd], roomFor(1_000n)).length, earnLimits.redemptionsInDoubt, 'the venue may refuse everybody');
});

test('C26: in any queue a round redeems no more than the venue can pay, in order, and passes no withdrawal that could be paid', () => {
  const entry = fc.record({
    unitsLeft: fc.bigInt({ min: 1n, max: 1_000n }),
    state: fc.constantFrom('waiting', 'waiting', 'under_way', 'refused'),
    refusals: fc.nat(5),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), fc.bigInt({ min: -100n, max: 20_000n }), fc.nat(4), (entries, room, underWay) => {
      const queue = entries.map((one, n) => ({ ...one, id: String(n) }) as Waiting);
      const round = planRound(queue, roomFor(room, underWay));
      assert.ok(round.reduce((sum, { units }) => sum + units, 0n) <= (room > 0n ? room : 0n));
      const ordered = new Map(round.map(({ id, units }) => [id, units]));
      const waiting = queue.filter(({ state }) => state === 'waiting');
      const paid = waiting.filter(({ id }) => ordered.has(id));
      assert.deepEqual(paid, waiting.slice(0, paid.length), 'the first waiting withdrawals');
      for (const one of paid.slice(0, -1)) assert.equal(ordered.get(one.id), one.unitsLeft, 'only the last one gets a part');
    }),
    { numRuns: 1_000 },
  );
});
