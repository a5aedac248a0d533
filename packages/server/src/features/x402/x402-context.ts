/** What machine hires need from the outside. */
import type { Facilitator } from '../../platform/facilitator/facilitator.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { OrdersContext } from '../orders/index.ts';

export interface X402Context extends OrdersContext {
  readonly facilitator: Facilitator;
  readonly secrets: SecretBox;
  readonly serviceName: string;
  /** Fixed by configuration: nothing a request says changes what it is asked to pay for. */
  readonly baseUrl: string;
}
