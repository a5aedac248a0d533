/** The accounts of this deployment that always pay. Agents' wallets are compared before their first movement. */
import type { NetworkName } from '@market/contract';
import { type EarnContext, vaultHolder } from '../features/earn/index.ts';
import { feeVaultHolder } from '../features/fees/index.ts';
import type { Holder } from '../features/outflow/index.ts';
import { type OutflowBooks, treasuryHolder } from '../features/payouts/index.ts';
import type { Chain } from '../platform/chains/chain.ts';
import type { Clock } from '../platform/clock/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { Logger } from '../platform/telemetry/logger.ts';

export interface HolderParts extends Pick<EarnContext, 'vaults'>, Pick<OutflowBooks, 'followFound'> {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly feeVault: Chain | undefined;
}

/** Treasuries first: what left one says where a redemption of Earn went. */
export function standingHolders(parts: HolderParts): readonly Holder[] {
  const { chains, feeVault, vaults } = parts;
  return [
    ...[...chains.values()].map((chain) => treasuryHolder(parts, chain)),
    ...(feeVault === undefined ? [] : [feeVaultHolder(parts, feeVault)]),
    ...vaults.flatMap((vault) => vaultHolder(parts, vault) ?? []),
  ];
}
