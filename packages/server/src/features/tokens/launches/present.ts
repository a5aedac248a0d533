/** The metadata of a token → the document that wallets and explorers read. */
import type { OperationAnswer, Operations } from '@market/contract';
import type { AgentRow } from '../../agents/index.ts';
import type { LaunchesContext } from './launches-context.ts';
import type { MintRow } from './repository.ts';

type Metadata = OperationAnswer<Operations['tokens']['metadata']>['data'];

/** A hidden agent keeps the name that is on chain anyway; its description and picture are not shown. */
export function presentMetadata({ appUrl }: LaunchesContext, made: MintRow, agent: AgentRow, isShown: boolean): Metadata {
  const placeholder = `${appUrl}/favicon.svg`;
  return {
    name: made.name,
    symbol: made.symbol,
    description: isShown ? made.description : '',
    image: isShown ? (made.imageUrl ?? placeholder) : placeholder,
    external_url: `${appUrl}/agents/${encodeURIComponent(agent.slug)}`,
  };
}
