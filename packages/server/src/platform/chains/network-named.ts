/** The network that a text names: `base-mainnet`, `base` and `eip155:8453` are the same. */
import { type NetworkName, networkFacts, networkNames, usualNetwork } from '@market/contract';

/** Undefined if the text names no known network. `networks`: those of this deployment. */
export function networkNamed(
  text: string,
  networks: Iterable<{ readonly network: NetworkName; readonly caip2: string }>,
): NetworkName | undefined {
  const wanted = text.trim().toLowerCase();
  const byName = networkNames.find((name) => {
    const { chain, aliases } = networkFacts[name];
    return wanted === name || wanted === chain || aliases.includes(wanted);
  });
  if (byName !== undefined) return byName;
  // Clients name Solana by several CAIP-2 references.
  if (wanted.startsWith('solana:')) return usualNetwork.solana;
  return [...networks].find(({ caip2 }) => caip2.toLowerCase() === wanted)?.network;
}
