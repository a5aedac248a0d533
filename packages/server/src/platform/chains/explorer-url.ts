/** Explorer page of a transaction on a public network. The sandbox chains have no explorer. */
import { type NetworkName, networkFacts } from '@market/contract';

export function explorerUrl(network: NetworkName, reference: string): string | null {
  const { explorer } = networkFacts[network];
  return explorer === null ? null : `${explorer}/tx/${reference}`;
}
