/** Whether a provider may ask for another attempt at a payout. */
import { MarketError } from '@market/contract';
import { ChainUnavailable, TransferRefused } from '../../../platform/chains/chain.ts';
import { type PayoutRow, requirePayableDestination } from '../../payouts/index.ts';
import type { OrdersContext } from '../orders-context.ts';

/** Throws unless the payout failed and waits. A payout exists once the order's escrow is shared out. */
export function requireStuck(payouts: readonly PayoutRow[]): PayoutRow {
  const payout = payouts.find(({ purpose }) => purpose === 'payout');
  if (payout === undefined) throw new MarketError('illegal_transition', { message: 'This order has no payout yet.' });
  if (payout.state === 'confirmed') throw new MarketError('payout_already_sent', { data: { payout_tx_hash: payout.reference } });
  if (payout.state !== 'parked') throw new MarketError('payout_not_stuck');
  return payout;
}

/** Asks the chain whether it would refuse the transfer again, and throws its reason. Returns the address in its canonical spelling. */
export async function requirePayable({ chains }: OrdersContext, payout: PayoutRow, given: string): Promise<string> {
  const destination = await requirePayableDestination(chains, payout.network, given);
  const chain = chains.get(payout.network);
  if (chain === undefined) throw new MarketError('payout_destination_invalid');
  try {
    if (payout.parkedFor === 'account' && !(await chain.canReceive(destination)))
      throw new MarketError('payout_destination_invalid', {
        message: `${payout.reason ?? ''} Open the USDC account of ${destination}, or set an address that has one.`.trim(),
      });
    await chain.estimateFee({ intentId: payout.id, destination, asset: 'usdc', amount: payout.amountMicros });
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { cause: error });
    if (!(error instanceof TransferRefused)) throw error;
    // The marketplace must bring missing funds; the payout waits for them.
    if (error.reason === 'destination') throw new MarketError('payout_destination_invalid', { message: error.message, cause: error });
  }
  return destination;
}
