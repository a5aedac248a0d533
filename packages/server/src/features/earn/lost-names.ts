/** Finds the owner of a lost redemption: names of withdrawals and their parts derive from vault, owner and number. */
import type { Chain } from '../../platform/chains/chain.ts';
import type { Db } from '../../platform/db/database.ts';
import { nameIntent } from '../../platform/intent-name.ts';
import { intentIdOf } from '../payments/index.ts';
import { listFoundRedeems } from './found-redeem-repository.ts';
import { readMostParts } from './intent-repository.ts';
import type { Owner } from './vault-repository.ts';
import { countWithdrawalsOf, findWithdrawal } from './withdrawal-repository.ts';

/** Withdrawals of one owner that lost books may have beyond these books. */
const MOST_WITHDRAWALS = 30;
/** Parts of one withdrawal that lost books may have beyond these books, refused ones included. */
const MOST_PARTS = 50;

export interface LostRedeem {
  /** The owner in its name. */
  readonly named: Owner;
  readonly withdrawalId: string;
  readonly intentId: string;
}

type Keys = Pick<Chain, 'intentKey'>;

/** Id of the withdrawal that follows `earlier` withdrawals of this owner from this vault. */
function withdrawalIdOf(vaultKey: string, { kind, id }: Owner, earlier: number): string {
  return nameIntent('wdr', `earn withdrawal ${vaultKey} ${kind} ${id} ${earlier}`);
}

function findPart(chain: Keys, withdrawalId: string, parts: number, isWanted: (intentKey: string) => boolean): string | undefined {
  for (let part = 0; part < parts; part += 1) {
    const intentId = intentIdOf('redeem', withdrawalId, part);
    if (isWanted(chain.intentKey(intentId))) return intentId;
  }
  return undefined;
}

export async function findLost(
  db: Db,
  chain: Keys,
  vaultKey: string,
  intentKey: string,
  owners: readonly Owner[],
): Promise<LostRedeem | undefined> {
  const parts = (await readMostParts(db, vaultKey)) + MOST_PARTS;
  for (const named of owners) {
    const made = await countWithdrawalsOf(db, vaultKey, named);
    for (let number = 0; number < made + MOST_WITHDRAWALS; number += 1) {
      const withdrawalId = withdrawalIdOf(vaultKey, named, number);
      const intentId = findPart(chain, withdrawalId, parts, (key) => key === intentKey);
      if (intentId !== undefined) return { named, withdrawalId, intentId };
    }
  }
  return undefined;
}

/** Found redemptions named as parts of these withdrawals. Computes each name once, however many were found. */
export async function findPartsOf<W extends { readonly id: string }>(db: Db, chain: Keys, vaultKey: string, withdrawals: readonly W[]) {
  const found = new Map((await listFoundRedeems(db, vaultKey)).map((redeem) => [redeem.intentKey, redeem]));
  if (found.size === 0) return [];
  const parts = (await readMostParts(db, vaultKey)) + MOST_PARTS;
  return withdrawals.flatMap((withdrawal) =>
    Array.from({ length: parts }, (_, part) => intentIdOf('redeem', withdrawal.id, part)).flatMap((intentId) => {
      const redeem = found.get(chain.intentKey(intentId));
      return redeem === undefined ? [] : [{ found: redeem, withdrawal, intentId }];
    }),
  );
}

/** The vault must be locked, so that names are unique. Skips names that lost books used: the router refuses them. */
export async function nextWithdrawalId(db: Db, chain: Keys, vaultKey: string, owner: Owner): Promise<string> {
  const used = new Set((await listFoundRedeems(db, vaultKey)).map(({ intentKey }) => intentKey));
  const parts = used.size === 0 ? 0 : (await readMostParts(db, vaultKey)) + MOST_PARTS;
  for (let number = await countWithdrawalsOf(db, vaultKey, owner); ; number += 1) {
    const id = withdrawalIdOf(vaultKey, owner, number);
    if ((await findWithdrawal(db, id)) !== undefined) continue;
    if (findPart(chain, id, parts, (key) => used.has(key)) === undefined) return id;
  }
}
