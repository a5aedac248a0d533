/** Implements `market reconcile`: finds what left on the chains and is missing in the books, books it, and opens outflow once the audit is clean. */
import type { AgentId } from '@market/contract';
import { createMarketEvents } from './app/create-events.ts';
import { meetDatabase } from './app/meet-database.ts';
import { standingHolders } from './app/standing-holders.ts';
import { withChains } from './boot/with-deployment.ts';
import { type AuditReport, type Finding, runAudit } from './features/audit/index.ts';
import { orderBounties } from './features/bounties/index.ts';
import { walletHolder } from './features/custody/index.ts';
import { orderDisputes } from './features/disputes/index.ts';
import { bookReceipts } from './features/fees/index.ts';
import { createFoundFollower } from './features/orders/index.ts';
import { closeOutflow, type Holder, openOutflow, reconcileHolders } from './features/outflow/index.ts';
import { bookArrivals } from './features/payments/index.ts';
import type { EndedPowers } from './features/restores/index.ts';
import { listAllWallets } from './features/wallets/index.ts';
import { orderRequests } from './features/workspaces/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';
import { openMasterKeyHolder } from './platform/secrets/master-keys.ts';
import { createSecretBox } from './platform/secrets/secret-box.ts';
import { openWalletChains, type WalletChains } from './platform/wallets/wallet-chains.ts';

export interface ReconcileReport {
  /** Transfers to the treasuries and the vault of creator fees that the books did not have. */
  readonly arrived: number;
  /** One sentence for each transfer that left and was found. */
  readonly lines: readonly string[];
  readonly holders: number;
  /** Outflow stays closed while there are any, or while a network could not be asked. */
  readonly findings: readonly Finding[];
  readonly unchecked: AuditReport['unchecked'];
  readonly isOpen: boolean;
}

const UNDER_WAY = 'Outflow is closed: market reconcile has not ended with books and chains in agreement. Run market reconcile.';

export type { EndedPowers };

interface ReconcileOptions {
  /** The books were restored, although their place is the same. */
  readonly isRestored: boolean;
  /** Called when the books were restored, with what ended. The chains are asked after that. */
  readonly onEnded: (ended: EndedPowers) => void;
  readonly onProgress: (compared: number) => void;
}

export async function reconcileDeployment({ isRestored, onEnded, onProgress }: ReconcileOptions): Promise<ReconcileReport> {
  return await withChains(async ({ config, database, chains, endpoints, sponsors, feeVault, log }) => {
    // First, because it needs no chain.
    const ended = await meetDatabase(database, config, { isRestored });
    if (ended !== undefined) onEnded(ended);
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
      const secrets = createSecretBox(await openMasterKeyHolder(config).readKeys());
      const followFound = createFoundFollower({
        ...{ database, events, chains, secrets },
        ...{ bounties: orderBounties, disputes: orderDisputes, requests: orderRequests },
      });
      const parts = { database, clock, events, log, chains, feeVault, vaults, walletChains, followFound };
      // Until the end, whatever stops this command: the books may be older than the chains.
      await closeOutflow(database.db, UNDER_WAY);
      // What came in first: it may have paid for what left.
      let arrived = 0;
      for (const chain of chains.values()) arrived += await bookArrivals({ database }, chain);
      arrived += (await bookReceipts({ database, events, feeVault })).receipts;
      let holders = 0;
      const lines = await reconcileHolders(
        database,
        each(parts, () => onProgress(++holders)),
      );
      const { findings, unchecked } = await runAudit(database, chains, feeVault);
      const isOpen = findings.length === 0 && unchecked.length === 0;
      if (isOpen) await openOutflow(database.db);
      return { arrived, lines, holders, findings, unchecked, isOpen };
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
