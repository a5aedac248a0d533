/** Requires that a payout address can be paid on every network that would use it. Asks chains, so never call it in a transaction. */
import { MarketError, type NetworkName, type OperationArguments, type Operations } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';

type GivenAddresses = Pick<OperationArguments<Operations['agents']['update']>, 'payout_wallet' | 'payout_address_base'>;

export async function requirePayableAddresses(
  { payout_wallet: solana, payout_address_base: evm }: GivenAddresses,
  chains: ReadonlyMap<NetworkName, Chain>,
): Promise<void> {
  const given = { payout_wallet: { kind: 'solana', address: solana }, payout_address_base: { kind: 'evm', address: evm } } as const;
  for (const [field, { kind, address }] of Object.entries(given)) {
    if (address === undefined || address === null) continue;
    for (const chain of chains.values()) {
      if (chain.kind !== kind) continue;
      const reason = await chain.findUnpayable(address);
      if (reason !== undefined) throw new MarketError('payout_address_unpayable', { message: `${field} cannot be paid. ${reason}` });
    }
  }
}
