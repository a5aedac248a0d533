/**
 * Ends a withdrawal whose rest no venue pays anything for. A unit may be a millionth of a micro-USDC, and a redemption that brings nothing fails:
 * the head would stand in everybody's way for ever.
 */
import { decideWithdrawal, dropRest, isFresh } from '@market/contract';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { settleIfPaid } from './end-redeem.ts';
import { insertEarnMovement, lockVault, writeBook } from './vault-repository.ts';
import { bookOf, type VenuePort } from './vaults.ts';
import { findHead, spreadOver, type WithdrawalRow } from './withdrawal-repository.ts';

/** What the rest may have cost. More than dust is never dropped, whatever the venue says it is worth: an operator decides about losses. */
const DUST_MICROS = 1_000n;

export async function isWorthless({ venues }: VenuePort, { at }: VaultSetting, head: WithdrawalRow): Promise<boolean> {
  const { status, principalMicros, unitsLeft, units } = head;
  if (status !== 'queued' || principalMicros * unitsLeft > DUST_MICROS * units) return false;
  return (await venues.valueOf(at, unitsLeft)) === 0n;
}

/** The rest goes back to the pool. */
export async function dropHead(context: EarnContext, { key }: VaultSetting, { id, unitsLeft, status }: WithdrawalRow): Promise<void> {
  await context.database.transaction(async (tx) => {
    const vault = await lockVault(tx, key);
    const head = await findHead(tx, key);
    const isSame = head?.id === id && head.unitsLeft === unitsLeft && head.status === status;
    if (!isSame || decideWithdrawal(status, 'redeemed') === undefined) return;
    const book = bookOf(vault);
    await writeBook(tx, key, dropRest(book, unitsLeft));
    await spreadOver(tx, id, 0n, -unitsLeft);
    await insertEarnMovement(tx, {
      ...{ vaultKey: key, owner: { kind: head.ownerKind, id: head.ownerId }, kind: 'withdraw_settled', subjectId: id },
      units: isFresh(book) ? 0n : unitsLeft,
      queuedUnits: -unitsLeft,
    });
    await settleIfPaid(tx, context, id);
  });
}
