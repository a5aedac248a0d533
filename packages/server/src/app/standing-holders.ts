/** The accounts of this deployment that always pay. The gate compares agents' wallets before their first movement. */
import type { NetworkName } from '@market/contract';
import { type EarnContext, vaultHolders } from '../features/earn/index.ts';
import type { Holder } from '../features/outgoing/gate/index.ts';
import { type TreasuryBooks, treasuryHolder } from '../features/payouts/index.ts';
import { feeVaultHolder } from '../features/tokens/fees/index.ts';
import type { Chain } from '../platform/chains/chain.ts';
import type { Clock } from '../platform/clock/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface HolderParts extends Pick<EarnContext, 'vaults'>, Pick<TreasuryBooks, 'followFound'> {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly feeVault: Chain | undefined;
}

/** Treasuries come first: their transfers show where a redemption of Earn went. */
export function standingHolders(parts: HolderParts): readonly Holder[] {
  const { chains, feeVault } = parts;
  return [
    ...[...chains.values()].map((chain) => treasuryHolder(parts, chain)),
    ...(feeVault === undefined ? [] : [feeVaultHolder(parts, feeVault)]),
    ...vaultHolders(parts),
  ];
}
