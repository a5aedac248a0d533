/** Dependencies of this feature. */
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { OutflowGate } from '../../outgoing/gate/index.ts';

export interface FeesContext {
  /** How long payouts to a set address wait after a restore. */
  readonly payoutChangeDelaySeconds: number;
  readonly gate: Pick<OutflowGate, 'findClosed'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
  /** Opens the agent's own wallet, which is proven before anything is sent there. */
  readonly secrets: SecretBox;
  /** Solana with the vault as its treasury. Undefined: this deployment collects no fees. */
  readonly feeVault: Chain | undefined;
}
