/** C25: a first depositor tries to take the deposits of others with gifts and a few shares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { harvestFrom, recogniseHarvest, vest } from './harvests.ts';
import { earnLimits } from './limits.ts';
import { burn, emptyBook, mint, mostUnitsOfOneShare } from './share-book.ts';

const PLANS = 1_000;
const ATTACKER = 'attacker';

interface Attack {
  readonly first: bigint;
  readonly kept: bigint;
  readonly gift: bigint;
  readonly victims: readonly bigint[];
  readonly recognised: boolean;
}

const attack: fc.Arbitrary<Attack> = fc.record({
  first: fc.bigInt({ min: earnLimits.firstDepositMicros, max: 10n ** 10n }),
  /** Shares that the attacker keeps after taking the rest of the minimum out again. */
  kept: fc.oneof(fc.bigInt({ min: 1n, max: 10n }), fc.bigInt({ min: 1n, max: earnLimits.firstDepositMicros })),
  gift: fc.bigInt({ min: 1n, max: 10n ** 11n }),
  victims: fc.array(fc.bigInt({ min: 1n, max: 10n ** 11n }), { minLength: 1, maxLength: 5 }),
  recognised: fc.boolean(),
});

/** The attacker's units at the end, less its deposit and its gift; and how many victims lost. */
function gainOf({ first, kept, gift, victims, recognised }: Attack): { gain: bigint; harmed: number } {
  let book = emptyBook;
  const enter = (units: bigint): bigint => {
    const minted = mint(book, units);
    book = minted?.book ?? book;
    return minted?.shares ?? 0n;
  };
  const leave = (shares: bigint): bigint => {
    if (shares === 0n) return 0n;
    const { book: after, units } = burn(book, shares);
    book = after;
    return units;
  };
  const shares = enter(first);
  const back = leave(shares - kept);
  if (recognised) {
    try {
      // The victims deposit after the whole gift has accrued.
      const found = recogniseHarvest(book, gift).book;
      book = vest({ book: found, harvests: [{ id: '1', units: gift, ...harvestFrom(0) }] }, Number.MAX_SAFE_INTEGER).book;
    } catch {
      // The gift would make shares too coarse: the book does not recognise it.
    }
  }
  const bought = victims.map((units) => enter(units));
  const taken = leave(kept);
  const harmed = victims.filter((units, n) => {
    const got = bought[n] ?? 0n;
    return got > 0n && leave(got) + 2n * mostUnitsOfOneShare < units;
  }).length;
  return { gain: back + taken - first - gift, harmed };
}

test('C25: the first depositor gains nothing from gifts, however few shares it keeps', () => {
  fc.assert(
    fc.property(attack, (plan) => {
      const { gain, harmed } = gainOf({ ...plan, recognised: false });
      assert.ok(gain <= -plan.gift, `${ATTACKER} gained ${gain} with a gift of ${plan.gift}`);
      assert.equal(harmed, 0);
    }),
    { numRuns: PLANS },
  );
});

test('C25: a gift that an operator recognises brings the first depositor no more than the rounding of fine shares', () => {
  fc.assert(
    fc.property(attack, (plan) => {
      const { gain, harmed } = gainOf({ ...plan, recognised: true });
      assert.ok(gain <= mostUnitsOfOneShare * BigInt(plan.victims.length), `${ATTACKER} gained ${gain}`);
      assert.equal(harmed, 0, 'somebody lost more than one fine share');
    }),
    { numRuns: PLANS },
  );
});
