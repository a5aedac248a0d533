/** Dependencies of this feature. */
import { MarketError } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { FeedbackRegistry } from '../../../platform/chains/feedback-registry.ts';
import type { OrdersContext } from '../../orders/index.ts';

export type OnchainFeedbackContext = Pick<OrdersContext, 'database' | 'clock' | 'events' | 'chains' | 'log' | 'explorerUrl'> & {
  /** Address of the Reputation Registry. Undefined: reviews cannot be published. */
  readonly reputationRegistry: string | undefined;
  readonly baseUrl: string;
};

export const NETWORK = 'base-mainnet';

export interface Registry {
  readonly chain: Chain;
  readonly feedback: FeedbackRegistry;
  /** The registry in CAIP-10. */
  readonly name: string;
}

/** The registry of this deployment. Throws 503 if the operator set none. */
export function requireRegistry({ chains, reputationRegistry }: OnchainFeedbackContext): Registry {
  const chain = chains.get(NETWORK);
  const address = reputationRegistry === undefined ? undefined : chain?.canonicalAddress(reputationRegistry);
  if (chain?.feedback === undefined || address === undefined) throw new MarketError('onchain_feedback_unavailable');
  return { chain, feedback: chain.feedback, name: `${chain.caip2}:${address}` };
}
