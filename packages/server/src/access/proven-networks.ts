/** The networks on which a contract wallet is proven, in the form that tables store: `base-mainnet=eip155:8453`. Null for keys. */
import type { NetworkName } from '@market/contract';
import type { ProvenNetwork } from './caller.ts';

export function storedNetworks(provenOn: readonly ProvenNetwork[] | undefined): string[] | null {
  return provenOn?.map(({ network, caip2 }) => `${network}=${caip2}`) ?? null;
}

export function readNetworks(stored: readonly string[] | null): readonly ProvenNetwork[] | undefined {
  return stored?.map((text) => {
    const [network = '', caip2 = ''] = text.split('=');
    return { network: network as NetworkName, caip2 };
  });
}
