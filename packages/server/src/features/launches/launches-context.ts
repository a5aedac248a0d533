/** Dependencies of this feature. */
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { CustodyContext } from '../custody/index.ts';

export interface LaunchesContext {
  /** The wallets that pay. */
  readonly custody: CustodyContext;
  /** Downloads pictures. */
  readonly outbound: OutboundClient;
  readonly appUrl: string;
}
