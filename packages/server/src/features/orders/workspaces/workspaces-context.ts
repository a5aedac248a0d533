/** Dependencies of workspaces. */
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { OrdersContext } from '../index.ts';

export interface WorkspacesContext extends OrdersContext {
  readonly secrets: SecretBox;
  readonly outbound: OutboundClient;
}
