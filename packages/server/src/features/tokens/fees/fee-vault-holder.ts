/** The vault of creator fees, compared with the payouts of the books. */
import type { Chain } from '../../../platform/chains/chain.ts';
import type { SeenOutgoing } from '../../../platform/chains/seen-outgoing.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { post } from '../../ledger/index.ts';
import { type Holder, insertFound } from '../../outgoing/gate/index.ts';
import { unbookedSol, vault } from './fee-accounts.ts';
import { findShareNamed } from './fee-payout-names.ts';
import { feeVaultName } from './fee-vault-name.ts';
import type { FeesContext } from './fees-context.ts';
import { type FeePayoutRow, findFeePayout, listKnownFeeReferences } from './repository.ts';
import { settleFound } from './settle-found.ts';

type Context = Pick<FeesContext, 'database' | 'events'>;

interface SeenFee extends SeenOutgoing {
  /** The network fee. */
  readonly fee: bigint;
}

export function feeVaultHolder(context: Context, feeVault: Chain): Holder {
  return {
    name: feeVaultName(feeVault),
    label: 'the vault of creator fees',
    chain: feeVault,
    async compare(cursor) {
      const { db } = context.database;
      const { coins } = feeVault;
      if (coins === undefined) return { strangers: [], cursor: '' };
      const page = await coins.listOutgoingCoins(cursor ?? '', (references) => listKnownFeeReferences(db, references));
      const strangers: SeenFee[] = [];
      // The oldest first, as the lost books paid them.
      for (const seen of page.transfers.toReversed()) {
        const payout = seen.intentKey === null ? undefined : await findFeePayout(db, seen.intentKey);
        // The payout's own job finds this transfer.
        if (payout !== undefined && isOpen(payout)) continue;
        strangers.push({ ...seen, fee: (await coins.readCoinChange(seen.reference)).fee });
      }
      return {
        strangers: strangers.map((seen) => ({ reference: seen.reference, book: (tx) => book(tx, context, feeVault, seen) })),
        cursor: page.cursor,
      };
    },
  };
}

function isOpen({ state }: FeePayoutRow): boolean {
  return state === 'signed' || state === 'sent' || state === 'unknown';
}

/** Charges the transfer to the share that its name gives, if that holds enough; else to none. */
async function book(tx: Tx, context: Context, feeVault: Chain, seen: SeenFee): Promise<string> {
  const { reference, position, intentKey, destination, micros: amount, fee } = seen;
  const what = `Solana: ${amount} lamports of creator fees to ${destination} in ${reference}`;
  const holder = feeVaultName(feeVault);
  const found = { holder, network: feeVault.network, reference, position, intentKey, asset: 'native', destination, amount } as const;
  if (!(await insertFound(tx, found, null))) return `${what} were booked before.`;
  await post(tx, {
    kind: 'creator_fee_found',
    subjectId: reference,
    idempotencyKey: `creator-fee-found:${reference}`,
    entries: [
      { account: unbookedSol, micros: -(amount + fee) },
      { account: vault, micros: amount + fee },
    ],
  });
  const share = intentKey === null ? undefined : await findShareNamed(tx, intentKey);
  if (share === undefined)
    return `${what} belong to no payout in these books. They are booked as unbooked; an operator must find out who sent them.`;
  const payout = (await settleFound(tx, context, holder, share)).paid.find((paid) => paid.reference === reference);
  if (payout === undefined)
    return `${what} are more than the share that they name holds. They are booked as unbooked, and nothing leaves this share before it covers them.`;
  const of = payout.agentId === null ? '' : ` of the agent ${payout.agentId}`;
  return `${what} had paid ${payout.id}${of}. It is now booked as paid.${payout.reason === null ? '' : ` ${payout.reason}`}`;
}
