/** The chains that the sandbox runs: one per network record. */
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import type { LocalNetwork } from '@market/sandbox/chains';

export function localNetworks(ports: Readonly<Record<NetworkName, number>>): readonly LocalNetwork[] {
  const all = networkNames.map((network): LocalNetwork => {
    const { kind, chain, local } = networkFacts[network];
    return { network, kind, caip2: local.caip2, folder: chain, port: ports[network] };
  });
  // A 402 offers networks in this order: the sandbox offers Base first, because its test wallets start there.
  return [...all.filter(({ kind }) => kind === 'evm'), ...all.filter(({ kind }) => kind !== 'evm')];
}
