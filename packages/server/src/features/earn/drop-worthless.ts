/**
 * Ends withdrawals whose rest is worth nothing. A unit may be a millionth of a micro-USDC, and a redemption that brings nothing fails again
 * and again.
 */
import { decideWithdrawal, dropRest, isFresh } from '@market/contract';
import type { EarnContext, VenuePort } from './earn-context.ts';
import { settleIfPaid } from './end-redeem.ts';
import { type Price, valueOfUnits } from './share-price.ts';
import { bookOf, insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';
import { lockWithdrawal, spreadOver, type WithdrawalRow } from './withdrawal-repository.ts';

/** The most that a dropped rest may have cost its owner. About larger losses an operator decides, whatever the venue says. */
const DUST_MICROS = 1_000n;

/** True when something was dropped. */
export async function dropWorthless(
  context: EarnContext,
  vault: VenuePort,
  queue: readonly WithdrawalRow[],
  price: Price,
): Promise<boolean> {
  let dropped = false;
  for (const row of queue) {
    if (!isDust(row) || valueOfUnits(row.unitsLeft, price) > 0n || (await vault.venues.valueOf(vault.at, row.unitsLeft)) > 0n) continue;
    await dropRow(context, vault, row);
    dropped = true;
  }
  return dropped;
}

function isDust({ status, principalMicros, unitsLeft, units }: WithdrawalRow): boolean {
  return status === 'queued' && principalMicros * unitsLeft <= DUST_MICROS * units;
}

/** The rest goes back to the pool. */
async function dropRow(context: EarnContext, { key }: VenuePort, { id, unitsLeft, status }: WithdrawalRow): Promise<void> {
  await context.database.transaction(async (tx) => {
    const vault = await lockVault(tx, key);
    const row = await lockWithdrawal(tx, id);
    const isSame = row.unitsLeft === unitsLeft && row.status === status;
    if (!isSame || decideWithdrawal(status, 'redeemed') === undefined) return;
    const book = bookOf(vault);
    await writeBook(tx, vault, dropRest(book, unitsLeft));
    await spreadOver(tx, id, 0n, -unitsLeft);
    await insertEarnMovement(tx, {
      ...{ vaultKey: key, owner: { kind: row.ownerKind, id: row.ownerId }, kind: 'withdraw_settled', subjectId: id },
      units: isFresh(book) ? 0n : unitsLeft,
      queuedUnits: -unitsLeft,
    });
    await settleIfPaid(tx, context, id);
  });
}
