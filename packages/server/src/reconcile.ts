/** Implements `market reconcile`: finds what left on the chains and is missing in the books, books it, and opens outflow once the audit is clean. */
import type { AgentId } from '@market/contract';
import { createMarketEvents } from './app/create-events.ts';
import { standingHolders } from './app/standing-holders.ts';
import { withChains } from './boot/with-deployment.ts';
import { type Finding, runAudit } from './features/audit/index.ts';
import { walletHolder } from './features/custody/index.ts';
import { type Holder, openOutflow, reconcileHolders } from './features/outflow/index.ts';
import { listAllWallets } from './features/wallets/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';
import { openWalletChains, type WalletChains } from './platform/wallets/wallet-chains.ts';

export interface ReconcileReport {
  /** One sentence for each transfer that was found. */
  readonly lines: readonly string[];
  readonly holders: number;
  /** Outflow stays closed while there are any. */
  readonly findings: readonly Finding[];
}

export async function reconcileDeployment(onProgress: (compared: number) => void): Promise<ReconcileReport> {
  return await withChains(async ({ config, database, chains, endpoints, sponsors, feeVault, log }) => {
    const clock = await createDatabaseClock(database.pool);
    try {
      const events = createMarketEvents(database);
      const vaults = config.earn.venues
        .filter(({ network }) => chains.has(network))
        .map(({ id: venue, ...vault }) => ({ ...vault, venue }));
      const walletChains = openWalletChains({
        ...{ endpoints, sponsors, secondOpinionFromMicros: config.chains.secondOpinionFromMicros },
        tokenLauncher: config.chains.tokenLauncher,
      });
      const parts = { database, clock, events, log, chains, feeVault, vaults, walletChains };
      let holders = 0;
      const lines = await reconcileHolders(
        database,
        each(parts, () => onProgress(++holders)),
      );
      const { findings } = await runAudit(database, chains);
      if (findings.length === 0) await openOutflow(database.db);
      return { lines, holders, findings };
    } finally {
      clock.stop();
    }
  });
}

type Parts = Parameters<typeof standingHolders>[0] & { readonly walletChains: WalletChains };

/** Every account that pays: those that always do, then every agent's wallets on every network. */
async function* each(parts: Parts, onNext: () => void): AsyncGenerator<Holder> {
  for (const holder of standingHolders(parts)) {
    onNext();
    yield holder;
  }
  for await (const { agentId, kind, address } of listAllWallets(parts.database.db)) {
    for (const { network, kind: of } of parts.chains.values()) {
      if (of !== kind) continue;
      onNext();
      yield walletHolder(parts, { agentId: agentId as AgentId, network, address });
    }
  }
}
