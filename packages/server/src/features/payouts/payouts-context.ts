import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { SeenOutgoing } from '../../platform/chains/seen-outgoing.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import type { OutflowLimits } from '../../platform/signer/outflow-limits.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { OutflowGate } from '../outgoing/gate/index.ts';
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
export interface TreasuryBooks extends Omit<PayoutsContext, 'secrets'> {
  /** Ends an order that lost books had ended and paid. Returns a sentence for the operator. Handed in, because orders import payouts. */
  readonly followFound?: ((tx: Tx, found: Pick<SeenOutgoing, 'intentKey' | 'micros'>) => Promise<string | undefined>) | undefined;
}

/** Further dependencies of sending payouts. */
export interface SendingContext extends PayoutsContext {
  /** How long payouts to a set address wait after a restore. */
  readonly payoutChangeDelaySeconds: number;
  readonly limits: OutflowLimits;
  readonly signer: PayoutSigner;
  readonly gate: OutflowGate;
}
