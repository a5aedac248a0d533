/** Whose a redemption of lost books is: the names of withdrawals and their parts follow from vault, owner and number. */
import type { Chain } from '../../platform/chains/chain.ts';
import type { Db } from '../../platform/db/database.ts';
import { listFoundRedeems } from './found-redeem-repository.ts';
import { intentIdOf } from './intent-id.ts';
import { readMostParts } from './intent-repository.ts';
import type { Owner } from './vault-repository.ts';
import { withdrawalIdOf } from './withdrawal-id.ts';
import { countWithdrawalsOf, findWithdrawal } from './withdrawal-repository.ts';

/** The lost books may have made so many withdrawals of one owner beside those of these books. */
const MOST_WITHDRAWALS = 30;
/** The lost books may have ordered so many parts of one withdrawal beside those of these books. Refused parts count. */
const MOST_PARTS = 50;

export interface LostRedeem {
  /** After whom it is named. */
  readonly named: Owner;
  readonly withdrawalId: string;
  readonly intentId: string;
}

type Keys = Pick<Chain, 'intentKey'>;

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

/** Redemptions that lost books made under the name of a part of one of these withdrawals. Each name is made once, however many were found. */
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

/** The vault is locked, so no two withdrawals get one name. A name that lost books used on chain is passed over: the router knows it. */
export async function nextWithdrawalId(db: Db, chain: Keys, vaultKey: string, owner: Owner): Promise<string> {
  const used = new Set((await listFoundRedeems(db, vaultKey)).map(({ intentKey }) => intentKey));
  const parts = used.size === 0 ? 0 : (await readMostParts(db, vaultKey)) + MOST_PARTS;
  for (let number = await countWithdrawalsOf(db, vaultKey, owner); ; number += 1) {
    const id = withdrawalIdOf(vaultKey, owner, number);
    if ((await findWithdrawal(db, id)) !== undefined) continue;
    if (findPart(chain, id, parts, (key) => used.has(key)) === undefined) return id;
  }
}
