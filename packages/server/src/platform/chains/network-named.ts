/** The network that a text names: `base-mainnet`, `base` and `eip155:8453` are one. */
import { type NetworkName, networkFacts, networkNames } from '@market/contract';

/** Faremeter's name of Solana. */
const SOLANA_BETA = 'solana-mainnet-beta';

/** Undefined for what names no network of ours. `networks`: those of this deployment. */
export function networkNamed(
  text: string,
  networks: Iterable<{ readonly network: NetworkName; readonly caip2: string }>,
): NetworkName | undefined {
  const wanted = text.trim().toLowerCase();
  const byName = networkNames.find((name) => wanted === name || wanted === networkFacts[name].chain);
  if (byName !== undefined) return byName;
  if (wanted.startsWith('solana:') || wanted === SOLANA_BETA) return 'solana-mainnet';
  return [...networks].find(({ caip2 }) => caip2.toLowerCase() === wanted)?.network;
}
