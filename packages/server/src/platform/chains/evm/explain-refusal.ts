/** Explains why USDC refuses a treasury transfer, from the state of the chain rather than the contract's message. */
import { formatUsd } from '@market/contract';
import { ChainUnavailable, type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { canonicalAddress, type EvmContext } from './evm-context.ts';
import type { ExecutionReverted } from './execution-reverted.ts';
import { isBlacklisted, readUsdcBalance } from './usdc.ts';

export async function explainRefusal(
  context: EvmContext,
  { destination, amount }: OutgoingTransfer,
  refusal: ExecutionReverted,
): Promise<TransferRefused | ChainUnavailable> {
  const { network, treasury } = context;
  // USDC is paused for all transfers: this is temporary and not about this transfer.
  if (/paused/i.test(refusal.reason)) return new ChainUnavailable(network, 'USDC is paused by its issuer', refusal);
  if (await isBlacklisted(context, canonicalAddress(destination) ?? treasury)) {
    return new TransferRefused('destination', `USDC on ${network} does not let ${destination} receive: it is blacklisted.`, refusal);
  }
  if (await isBlacklisted(context, treasury)) {
    return new TransferRefused('other', `USDC on ${network} does not let the treasury ${treasury} pay: it is blacklisted.`, refusal);
  }
  const balance = await readUsdcBalance(context, treasury);
  if (balance < amount) {
    const needs = `the transfer needs ${formatUsd(amount)}`;
    return new TransferRefused(
      'insufficient_usdc',
      `The treasury holds ${formatUsd(balance)} USDC on ${network}, ${needs}. Send USDC to ${treasury}.`,
      refusal,
    );
  }
  return new TransferRefused('other', `USDC on ${network} refuses the transfer: ${refusal.reason}`, refusal);
}
