/** Dependencies of this feature. */
import type { NetworkName } from '@market/contract';
import type { PaymentsContext } from '../payments/index.ts';
import type { PayoutsContext } from '../payouts/index.ts';
import type { OrderBounties } from './order-bounties.ts';
import type { OrderDisputes } from './order-disputes.ts';
import type { OrderFiles } from './order-files.ts';
import type { OrderRequests } from './order-requests.ts';

/** Dependencies of a step that takes no payment. */
export type StepContext = Pick<OrdersContext, 'events' | 'chains' | 'secrets' | 'bounties'>;

export interface OrdersContext extends PaymentsContext, PayoutsContext {
  readonly files: OrderFiles;
  readonly disputes: OrderDisputes;
  readonly bounties: OrderBounties;
  readonly requests: OrderRequests<OrdersContext>;
  /** Whether an address leads into a private network; links to our own uploads do not count. */
  readonly isPrivateLink: (url: string) => boolean;
  /** Names accounts that are made with a first order. */
  readonly serviceName: string;
  /** Buyers can publish their reviews on chain. */
  readonly publishesReviews: boolean;
  /** The public explorer's page of a transaction; null without an explorer. */
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
}
