import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { OutflowLimits } from '../../platform/signer/outflow-limits.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { OutflowGate } from '../outflow/index.ts';
import type { PayoutSigner } from './payout-signer.ts';

export interface PayoutsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly log: Logger;
  readonly secrets: SecretBox;
}

/** Dependencies of comparing books and chain; no secrets. */
export type OutflowBooks = Omit<PayoutsContext, 'secrets'>;

/** Further dependencies of sending payouts. */
export interface OutflowContext extends PayoutsContext {
  readonly limits: OutflowLimits;
  readonly signer: PayoutSigner;
  readonly gate: OutflowGate;
}
