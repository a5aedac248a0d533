/** The vault of creator fees, compared with the payouts of the books. */
import type { Chain } from '../../platform/chains/chain.ts';
import type { SeenOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type CoinAccount, post } from '../ledger/index.ts';
import { type Holder, insertFound } from '../outflow/index.ts';
import { confirmFound } from './confirm-fee-payout.ts';
import { vault } from './fee-accounts.ts';
import type { FeesContext } from './fees-context.ts';
import { countFeePayouts, type FeePayoutRow, findFeePayout, listFeeShares, listKnownFeeReferences } from './repository.ts';
import { feePayoutIdOf, reserveNamed } from './reserve-fee-payout.ts';

type Context = Pick<FeesContext, 'database' | 'events'>;

/** Left the vault and is charged to no share. */
const unbookedSol: CoinAccount = { ...vault, kind: 'unbooked' };
/** The lost books may have paid a share several times after the backup. */
const MOST_LOST = 50;

export function feeVaultHolder(context: Context, feeVault: Chain): Holder {
  const name = `${feeVault.caip2}/${feeVault.treasury}`;
  return {
    name,
    label: 'the vault of creator fees',
    chain: feeVault,
    async compare(cursor) {
      const { db } = context.database;
      const { coins } = feeVault;
      if (coins === undefined) return { strangers: [], cursor: '' };
      const page = await coins.listOutgoingCoins(cursor ?? '', (references) => listKnownFeeReferences(db, references));
      const strangers: SeenOutgoing[] = [];
      for (const seen of page.transfers) {
        const payout = seen.intentKey === null ? undefined : await findFeePayout(db, seen.intentKey);
        // Its own job finds it.
        if (payout === undefined || !isOpen(payout)) strangers.push(seen);
      }
      return {
        strangers: strangers.map((seen) => ({ reference: seen.reference, book: (tx) => book(tx, context, feeVault, name, seen) })),
        cursor: page.cursor,
      };
    },
  };
}

function isOpen({ state }: FeePayoutRow): boolean {
  return state === 'signed' || state === 'sent' || state === 'unknown';
}

/** The payout that the books have, else the one that its name says the lost books made; else it is charged to nobody. */
async function book(tx: Tx, context: Context, feeVault: Chain, holder: string, seen: SeenOutgoing): Promise<string> {
  const what = `Solana: ${seen.micros} lamports of creator fees to ${seen.destination} in ${seen.reference}`;
  const fee = (await feeVault.coins?.readCoinChange(seen.reference))?.fee ?? 0n;
  const payout = await findOrRemake(tx, seen);
  const found = {
    ...{ holder, network: feeVault.network, reference: seen.reference, position: seen.position, intentKey: seen.intentKey },
    ...{ asset: 'native' as const, destination: seen.destination, amount: seen.micros },
  };
  if (!(await insertFound(tx, found, payout?.id ?? null))) return `${what} were booked before.`;
  if (payout !== undefined && payout.lamports === seen.micros && payout.recipientWallet === seen.destination) {
    await confirmFound(tx, context, payout, seen.reference, fee);
    return `${what} had paid ${payout.id}${payout.agentId === null ? '' : ` of the agent ${payout.agentId}`}. It is now booked as paid.`;
  }
  await post(tx, {
    kind: 'creator_fee_found',
    subjectId: seen.reference,
    idempotencyKey: `creator-fee-found:${seen.reference}`,
    entries: [
      { account: unbookedSol, micros: -(seen.micros + fee) },
      { account: vault, micros: seen.micros + fee },
    ],
  });
  return `${what} belong to no payout in these books. They are booked as unbooked; an operator must find out who sent them.`;
}

async function findOrRemake(tx: Tx, { intentKey, destination, micros }: SeenOutgoing): Promise<FeePayoutRow | undefined> {
  if (intentKey === null) return undefined;
  const known = await findFeePayout(tx, intentKey);
  if (known !== undefined) return known.state === 'queued' ? known : undefined;
  for (const share of await listFeeShares(tx)) {
    const made = await countFeePayouts(tx, share);
    for (let earlier = made; earlier < made + MOST_LOST; earlier += 1) {
      if (feePayoutIdOf(share, earlier) !== intentKey) continue;
      return await reserveNamed(tx, { ...share, id: intentKey, recipientWallet: destination, createdBy: 'reconcile', lamports: micros });
    }
  }
  return undefined;
}
