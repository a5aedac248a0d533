/**
 * Names of payouts: the share, its token, and a number. Restored books give the same numbers again, to payouts that may have another amount
 * or recipient. So a name tells only which share a transfer on chain is charged to.
 */
import type { Db } from '../../../platform/db/database.ts';
import { nameIntent } from '../../../platform/intent-name.ts';
import { type FeePayoutRow, findFeePayout, listFeePayoutIds, listFeeShares } from './repository.ts';

export type FeeShare = Pick<FeePayoutRow, 'share' | 'mint' | 'agentId'>;
type Named = Pick<FeePayoutRow, 'share' | 'mint'>;

/** The lost books may have paid a share several times after the backup. */
const MOST_LOST = 50;

function feePayoutIdOf({ share, mint }: Named, number: number): string {
  return nameIntent('payout', `creator fees ${share} ${mint ?? ''} ${number}`);
}

/** The first number that these books have no payout for. Numbers may have gaps: books that were put back know some of the lost payouts. */
export async function nextFeePayoutId(db: Db, share: Named): Promise<string> {
  const taken = new Set(await listFeePayoutIds(db, share));
  for (let number = 0; ; number += 1) {
    const id = feePayoutIdOf(share, number);
    if (!taken.has(id)) return id;
  }
}

/** Every name that a payout of this share has, or may have had in lost books, in order. */
export async function namesOfShare(db: Db, share: Named): Promise<readonly string[]> {
  const made = (await listFeePayoutIds(db, share)).length;
  return Array.from({ length: made + MOST_LOST }, (_, number) => feePayoutIdOf(share, number));
}

/** The share that a transfer under this name was taken from. */
export async function findShareNamed(db: Db, name: string): Promise<FeeShare | undefined> {
  const known = await findFeePayout(db, name);
  if (known !== undefined) return known;
  for (const share of await listFeeShares(db)) if ((await namesOfShare(db, share)).includes(name)) return share;
  return undefined;
}
