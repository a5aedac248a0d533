/** The signer of a payout: this process with the treasury's key, or a separate signer that reads the intent itself. */
import type { NetworkName } from '@market/contract';
import type { Chain, OutgoingTransfer, SignedTransfer, SigningTerms } from '../../platform/chains/chain.ts';
import type { PayoutRow } from './repository.ts';

export interface PayoutSigner {
  /** Throws `TransferRefused`, `OutflowHeld` or `ChainUnavailable`; then nothing was signed. */
  sign(payout: PayoutRow, terms: SigningTerms): Promise<SignedTransfer>;
  /** As `Chain.replaceTransfer`. */
  replace(payout: PayoutRow, signed: SignedTransfer): Promise<SignedTransfer | undefined>;
}

/** Signs with the key in this process. The caller checks limits and the stored intent, before and after. */
export function createLocalPayoutSigner(chains: ReadonlyMap<NetworkName, Chain>): PayoutSigner {
  const chainOf = (network: NetworkName): Chain => {
    const chain = chains.get(network);
    if (chain === undefined) throw new Error(`no node is configured for ${network}`);
    return chain;
  };
  return {
    sign: async (payout, terms) => await chainOf(payout.network).signTransfer(transferOf(payout), terms),
    replace: async (payout, signed) => await chainOf(payout.network).replaceTransfer(transferOf(payout), signed),
  };
}

export function transferOf(payout: Pick<PayoutRow, 'id' | 'destination' | 'amountMicros'>): OutgoingTransfer {
  return { intentId: payout.id, destination: payout.destination, asset: 'usdc', amount: payout.amountMicros };
}
