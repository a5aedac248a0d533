/** Dependencies of this feature. */
import type { NetworkName } from '@market/contract';
import type { Db } from '../../platform/db/database.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { VenueSigner } from '../../platform/signer/venue-signer.ts';
import type { AgentRow } from '../agents/index.ts';
import type { CustodyContext } from '../custody/index.ts';
import type { OutflowGate } from '../outflow/index.ts';
import type { PaymentsContext } from '../payments/index.ts';
import type { PayoutsContext } from '../payouts/index.ts';
import type { KeptReadings } from './kept-readings.ts';
import type { VaultSetting } from './vault-setting.ts';

export type { VaultSetting };

export interface EarnContext extends PaymentsContext, PayoutsContext {
  readonly vaults: readonly VaultSetting[];
  readonly venueSigner: VenueSigner;
  readonly gate: Pick<OutflowGate, 'findClosed'>;
  readonly limiter: RateLimiter;
  readonly custody: CustodyContext;
  readonly readings: KeptReadings;
  /** How long a request waits for the chain before it answers with what is known. */
  readonly waitSeconds: number;
  /** Given by `app/`: the owner froze the spending of the agent. */
  readonly isAgentFrozen: (db: Db, agent: AgentRow) => Promise<boolean>;
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
}
