/** Explorer page of a transaction or token on a public network. The sandbox chains have no explorer. */
import { type NetworkName, networkFacts } from '@market/contract';

export type ExplorerPage = 'tx' | 'token';

export function explorerUrl(network: NetworkName, reference: string, page: ExplorerPage = 'tx'): string | null {
  const { explorer } = networkFacts[network];
  return explorer === null ? null : `${explorer}/${page}/${reference}`;
}
