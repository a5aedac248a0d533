/**
 * Implements `market reconcile`: finds and books transfers that left on the chains but are missing in the books. Opens outflow once the
 * audit is clean.
 */
import { type AgentId, type NetworkName, networkFacts, networkNames } from '@market/contract';
import { createMarketEvents } from './app/create-events.ts';
import { meetDatabase } from './app/meet-database.ts';
import { standingHolders } from './app/standing-holders.ts';
import { withChains } from './boot/with-deployment.ts';
import { walletHolder } from './features/agent-wallets/index.ts';
import { type AuditReport, type Finding, runAudit } from './features/audit/index.ts';
import { orderBounties } from './features/bounties/index.ts';
import { readVaultSettings } from './features/earn/index.ts';
import { listOwingNetworks, sealAll } from './features/ledger/index.ts';
import { orderDisputes } from './features/orders/disputes/index.ts';
import { createFoundFollower } from './features/orders/index.ts';
import { orderRequests } from './features/orders/workspaces/index.ts';
import { closeOutflow, type Holder, listUnasked, openOutflow, reconcileHolders } from './features/outgoing/gate/index.ts';
import { bookArrivals } from './features/payments/index.ts';
import type { EndedPowers } from './features/restores/index.ts';
import { bookReceipts } from './features/tokens/fees/index.ts';
import { listAllWallets } from './features/wallet-keys/index.ts';
import { createDatabaseClock } from './platform/clock/database-clock.ts';
import { openMasterKeyHolder } from './platform/secrets/master-keys.ts';
import { createSecretBox } from './platform/secrets/secret-box.ts';
import { openWalletChains, type WalletChains } from './platform/wallets/wallet-chains.ts';

export interface ReconcileReport {
  /** Number of transfers to the treasuries and the vault of creator fees that were missing in the books. */
  readonly arrived: number;
  /** One sentence per outgoing transfer that was found. */
  readonly lines: readonly string[];
  readonly holders: number;
  /** Outflow stays closed while there are findings, or while a network could not be asked. */
  readonly findings: readonly Finding[];
  readonly unchecked: AuditReport['unchecked'];
  readonly isOpen: boolean;
}

const UNDER_WAY = 'Outflow is closed: market reconcile has not ended with books and chains in agreement. Run market reconcile.';

export type { EndedPowers };

interface ReconcileOptions {
  /** The operator says that the books were restored, although the database identity is unchanged. */
  readonly isRestored: boolean;
  /** Called when the books were restored, with what ended. The chains are asked afterwards. */
  readonly onEnded: (ended: EndedPowers) => void;
  readonly onProgress: (compared: number) => void;
}

export async function reconcileDeployment({ isRestored, onEnded, onProgress }: ReconcileOptions): Promise<ReconcileReport> {
  return await withChains(async ({ config, database, chains, endpoints, sponsors, feeVault, log }) => {
    // Runs first, because it needs no chain.
    const ended = await meetDatabase(database, config, { isRestored });
    if (ended !== undefined) onEnded(ended);
    const clock = await createDatabaseClock(database.pool);
    try {
      const events = createMarketEvents(database);
      const vaults = readVaultSettings(config.earn.venues, chains);
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
      // Closed until the end, even if this command stops: the books may be older than the chains.
      await closeOutflow(database.db, UNDER_WAY);
      // Books incoming transfers first: they may have paid for outgoing ones.
      let arrived = 0;
      for (const chain of chains.values()) arrived += await bookArrivals({ database }, chain);
      arrived += (await bookReceipts({ database, events, feeVault })).receipts;
      let holders = 0;
      const lines = await reconcileHolders(
        database,
        each(parts, () => onProgress(++holders)),
      );
      // No process may run yet, so the last postings of the one that died wait for their seal.
      await sealAll(database.db);
      const audited = await runAudit(database, chains, feeVault);
      const { findings } = audited;
      const unchecked = [...audited.unchecked, ...(await listMissing(parts))];
      const isOpen = findings.length === 0 && unchecked.length === 0;
      if (isOpen) await openOutflow(database.db);
      return { arrived, lines, holders, findings, unchecked, isOpen };
    } finally {
      clock.stop();
    }
  });
}

/** Networks that these settings do not name, although the books hold money there or lost books may have paid there. */
async function listMissing({
  database,
  chains,
  feeVault,
}: Pick<Parts, 'database' | 'chains' | 'feeVault'>): Promise<AuditReport['unchecked']> {
  const owing = new Set(await listOwingNetworks(database.db));
  const putBack = await listUnasked(
    database,
    [...chains.values()].map(({ caip2: name }) => ({ name })),
  );
  const isMissing = (network: NetworkName) => owing.has(network) || putBack.some((one) => one.network === network);
  return [
    ...networkNames
      .filter((network) => !chains.has(network) && isMissing(network))
      .map((network) => ({ network, reason: `${networkFacts[network].setting}_RPC_URL is missing in the settings` })),
    ...(feeVault === undefined && owing.has(CREATOR_FEES)
      ? [{ network: 'solana-mainnet', reason: 'CREATOR_FEE_KEY is missing in the settings, and the books hold creator fees' } as const]
      : []),
  ];
}

const CREATOR_FEES = 'solana-mainnet/sol';

type Parts = Parameters<typeof standingHolders>[0] & { readonly walletChains: WalletChains };

/** Every account that pays: the standing ones, then every agent's wallets on every network. */
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
