/** Refuses an address that no attempt could ever pay, as when a payout address is set. Asks the chain, so never call it in a transaction. */
import { MarketError, type NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable } from '../../platform/chains/chain.ts';

/** Returns the address in its canonical spelling. */
export async function requirePayableDestination(
  chains: ReadonlyMap<NetworkName, Chain>,
  network: NetworkName,
  destination: string,
): Promise<string> {
  const chain = chains.get(network);
  const address = chain?.canonicalAddress(destination);
  if (chain === undefined || address === undefined) throw new MarketError('payout_destination_invalid');
  if ([...chains.values()].some(({ treasury }) => treasury === address))
    throw new MarketError('payout_destination_invalid', { message: `${address} is the marketplace’s own wallet. Name another address.` });
  const reason = await findReason(chain, address);
  if (reason !== undefined) throw new MarketError('payout_destination_invalid', { message: `${address} cannot be paid. ${reason}` });
  return address;
}

async function findReason(chain: Chain, address: string): Promise<string | undefined> {
  try {
    return await chain.findUnpayable(address);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('chain_unavailable', { cause: error });
    throw error;
  }
}
