/** The treasury of a network, compared with the payouts and deploys of the books. */
import { formatUsd, networkFacts } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import { isKnownOutgoing, namesOfKnown, type SeenOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Tx } from '../../platform/db/database.ts';
import { post, treasury, unbooked } from '../ledger/index.ts';
import type { Holder } from '../outgoing/gate/index.ts';
import { confirmSeen } from './confirm-payout.ts';
import type { TreasuryBooks } from './payouts-context.ts';
import { insertUnbooked, listKnownOutgoing, listOpenDeploys, listPayoutsLike } from './sending-repository.ts';

export function treasuryHolder(context: TreasuryBooks, chain: Chain): Holder {
  return {
    name: chain.caip2,
    label: `the treasury on ${networkFacts[chain.network].label}`,
    chain,
    // A payout leaves on the network that its agent chose last.
    sharesIntents: true,
    async compare(cursor) {
      const { db } = context.database;
      // Read deploys before the chain, so that one that is confirmed meanwhile is still in the list.
      const deploys = (await listOpenDeploys(db, chain.network)).map((id) => chain.intentKey(id));
      const findKnown = async (references: readonly string[]) =>
        namesOfKnown(await listKnownOutgoing(db, chain.caip2, references), (id) => chain.intentKey(id));
      const page = await chain.listOutgoing(cursor, findKnown);
      const strangers: SeenOutgoing[] = [];
      for (const seen of page.transfers) {
        // The transfer belongs to an open payout or deploy, whose own look-up will find it.
        if (seen.intentKey !== null && deploys.includes(seen.intentKey)) continue;
        const open = await listPayoutsLike(db, chain.network, seen, ['signed', 'sent', 'unknown']);
        if (!open.some(({ id }) => chain.intentKey(id) === seen.intentKey)) strangers.push(seen);
      }
      // Look again: a payout that was confirmed meanwhile was neither known before nor open.
      const late = await findKnown(strangers.map(({ reference }) => reference));
      const unknown = strangers.filter((seen) => !isKnownOutgoing(late, seen));
      return {
        strangers: unknown.map((seen) => ({ reference: seen.reference, book: (tx) => bookStranger(tx, context, chain, seen) })),
        cursor: page.cursor,
      };
    },
  };
}

/** Books a transfer to the payout it paid. Without one, it stays unbooked until that payout is queued again. */
async function bookStranger(tx: Tx, context: TreasuryBooks, chain: Chain, seen: SeenOutgoing): Promise<string> {
  const waiting = await listPayoutsLike(tx, chain.network, seen, ['queued', 'parked']);
  const paid = await listPayoutsLike(tx, chain.network, seen, ['confirmed']);
  const payout = waiting.find(({ id }) => chain.intentKey(id) === seen.intentKey);
  const transfer = `${chain.network}: ${formatUsd(seen.micros)} USDC to ${seen.destination} in ${seen.reference}`;
  // The payout was confirmed while we looked.
  if (paid.some(({ id, reference }) => chain.intentKey(id) === seen.intentKey && reference === seen.reference))
    return `${transfer} was booked before.`;
  if (!(await insertUnbooked(tx, chain.network, seen, payout?.id ?? null))) return `${transfer} was booked before.`;
  if (payout !== undefined) {
    // The error undoes the whole comparison, which is then repeated.
    if (!(await confirmSeen(tx, context, payout, seen.reference, treasury(chain.network)))) throw new Error(`${payout.id} moved meanwhile`);
    return `${transfer} had paid ${payout.id}. The payout is now confirmed.`;
  }
  await post(tx, {
    kind: 'outflow_found',
    subjectId: `${chain.caip2}/${seen.reference}`,
    idempotencyKey: `outflow:${chain.caip2}/${seen.reference}/${seen.position}`,
    entries: [
      { account: unbooked(chain.network), micros: -seen.micros },
      { account: treasury(chain.network), micros: seen.micros },
    ],
  });
  const ended = await context.followFound?.(tx, seen);
  if (ended !== undefined) return `${transfer} belongs to no payout in these books. ${ended} The payout is marked paid by the service.`;
  return `${transfer} belongs to no payout in these books. It is booked as unbooked, and its payout is marked paid when it is queued again.`;
}
