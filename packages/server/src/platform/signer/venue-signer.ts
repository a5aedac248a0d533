/**
 * The signer of the treasury's calls to vaults: this process with the treasury's key, or a separate signer that reads the intent itself.
 */
import type { NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable, type SignedTransfer } from '../chains/chain.ts';
import type { VenueCall, YieldVenues } from '../chains/yield-venues.ts';
import { createRemoteSigner, type RemoteSignerOptions } from './remote-signer.ts';

export interface VenueSigner {
  /** Throws `TransferRefused`, `OutflowHeld` or `ChainUnavailable`; then no transaction was signed. */
  sign(network: NetworkName, call: VenueCall): Promise<SignedTransfer>;
  /** As `YieldVenues.replace`. */
  replace(network: NetworkName, call: VenueCall, stuck: SignedTransfer): Promise<SignedTransfer | undefined>;
}

/** Signs in this process, or asks the process that holds the treasury's keys. */
export function openVenueSigner(
  signer: { readonly url: string | undefined; readonly secret: string | undefined },
  chains: ReadonlyMap<NetworkName, Chain>,
): VenueSigner {
  const { url, secret } = signer;
  return url === undefined || secret === undefined ? createLocalVenueSigner(chains) : createRemoteVenueSigner({ url, secret });
}

/** Signs with the key in this process. The caller checks the stored intent, before and after. */
function createLocalVenueSigner(chains: ReadonlyMap<NetworkName, Chain>): VenueSigner {
  return {
    sign: async (network, call) => await venuesOn(chains, network).sign(call),
    replace: async (network, call, stuck) => await venuesOn(chains, network).replace(call, stuck),
  };
}

/** Asks a separate signer, which reads the stored call by its intent's id. */
function createRemoteVenueSigner(options: RemoteSignerOptions): VenueSigner {
  const remote = createRemoteSigner(options, 'venue');
  return {
    sign: async (network, { intentId }) => await remote.sign({ id: intentId, network }),
    replace: async (network, { intentId }) => await remote.replace({ id: intentId, network }),
  };
}

export function venuesOn(chains: ReadonlyMap<NetworkName, Chain>, network: NetworkName): YieldVenues {
  const venues = chains.get(network)?.venues;
  if (venues === undefined) throw new ChainUnavailable(network, 'this process reaches no vaults there');
  return venues;
}
