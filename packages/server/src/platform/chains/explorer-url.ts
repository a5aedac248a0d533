/** Where people look at a transaction of a public network. The sandbox's chains have no such site. */
import { type NetworkName, networkFacts } from '@market/contract';

export function explorerUrl(network: NetworkName, reference: string): string | null {
  const { explorer } = networkFacts[network];
  return explorer === null ? null : `${explorer}/tx/${reference}`;
}
