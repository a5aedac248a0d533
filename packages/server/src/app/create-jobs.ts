/** Background work of this process: jobs, webhooks, the sandbox demo, and their metrics. */

import { closingMoveRunners } from '../features/accounts/closing/index.ts';
import { connectionJobs } from '../features/accounts/connections/index.ts';
import { moveJobs } from '../features/accounts/moves/index.ts';
import { movementJobs, walletMoveRunners } from '../features/agent-wallets/index.ts';
import { applyPayoutChangeJob } from '../features/agents/index.ts';
import { auditJob } from '../features/audit/index.ts';
import { bountyTimers } from '../features/bounties/index.ts';
import { lookForMatchesJob } from '../features/discovery/saved-searches/index.ts';
import { statsJobs } from '../features/discovery/stats/index.ts';
import { earnJobs, earnMoveRunners } from '../features/earn/index.ts';
import { sealingJob } from '../features/ledger/index.ts';
import { clearNotificationsJob } from '../features/notifications/index.ts';
import { followFeedbackJobs } from '../features/onchain/feedback/index.ts';
import { orderTimers } from '../features/orders/index.ts';
import { workspaceJobs } from '../features/orders/workspaces/index.ts';
import { startComparing } from '../features/outgoing/gate/index.ts';
import { watchChainsJobs } from '../features/payments/index.ts';
import { payoutJobs, readPayoutGauges } from '../features/payouts/index.ts';
import { spendingJobs } from '../features/spending/index.ts';
import { feeJobs } from '../features/tokens/fees/index.ts';
import { tokenJobs } from '../features/tokens/index.ts';
import { swapJobs } from '../features/tokens/swap/index.ts';
import { uploadJobs } from '../features/uploads/index.ts';
import { provisionMissingJob } from '../features/wallet-keys/index.ts';
import { clearDeliveriesJob, countOpenDeliveries, createWebhookDispatcher } from '../features/webhooks/index.ts';
import { x402Jobs } from '../features/x402/index.ts';
import type { Database } from '../platform/db/database.ts';
import { createFollowerLoop } from '../platform/events/follow-events.ts';
import { housekeepingJob } from '../platform/housekeeping.ts';
import { countJobs } from '../platform/jobs/job-repository.ts';
import { createJobRunner } from '../platform/jobs/job-runner.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { AppOptions } from './app-options.ts';
import type { Parts } from './open-parts.ts';

export interface Jobs {
  start(): Promise<void>;
  /** Stops, and returns jobs that do not end in time to the queue. */
  stop(graceMs: number): Promise<void>;
}

export function createJobs({ config, notifications }: Pick<AppOptions, 'config' | 'notifications'>, parts: Parts): Jobs {
  const { shared, metrics, payments, orders, workspaces, x402, uploads, outbound, webhookAgents, feeds, notePresence } = parts;
  const { database, chains, clock, events, log } = shared;
  const { db } = database;
  const { gate } = parts;
  const definitions = [
    auditJob({ database, chains, feeVault: parts.fees.feeVault, log, metrics }),
    housekeepingJob(db),
    sealingJob(db),
    clearNotificationsJob(database),
    clearDeliveriesJob(database),
    ...watchChainsJobs(payments),
    ...payoutJobs({ ...shared, limits: config.outflow, signer: parts.payoutSigner, gate }),
    ...movementJobs(parts.agentWallets),
    ...moveJobs(shared, { ...walletMoveRunners(parts.agentWallets), ...earnMoveRunners(parts.earn), ...closingMoveRunners(shared) }),
    provisionMissingJob(shared),
    ...orderTimers(orders),
    ...bountyTimers(orders),
    ...workspaceJobs(workspaces),
    ...x402Jobs(x402),
    ...uploadJobs(uploads),
    ...statsJobs(orders),
    lookForMatchesJob({ ...shared, appUrl: parts.addresses.appUrl }),
    applyPayoutChangeJob(shared),
    ...feeJobs(parts.fees),
    ...earnJobs(parts.earn),
    ...tokenJobs(parts.tokens),
    ...spendingJobs(shared),
    ...swapJobs({ database, readLanding: parts.readLanding }),
    ...connectionJobs(parts.connections),
    followFeedbackJobs(parts.onchainFeedback),
    ...events.jobs,
  ];
  const runner = createJobRunner({ database, notifications, log, metrics, clock, definitions });
  const followers = createFollowerLoop({ database, notifications, log, followers: events.followers });
  const { openSecret } = webhookAgents;
  const webhooks = createWebhookDispatcher({ database, notifications, events, outbound, clock, log, metrics, openSecret, notePresence });
  addGauges(metrics, database);
  addPayoutGauges(metrics, database);
  metrics.gauge('market_webhooks_open', 'Webhook deliveries that wait or are being retried', () => countOpenDeliveries(db));
  metrics.gauge('market_event_streams', 'Readers that wait for events', () => feeds.slots.taken);
  return {
    async start() {
      await runner.start();
      followers.start();
      webhooks.start();
      // Runs in the background: a payout that needs the result waits before signing.
      startComparing(gate, log);
    },
    async stop(graceMs) {
      await Promise.all([runner.stop(graceMs), followers.stop(), webhooks.stop(graceMs)]);
    },
  };
}

function addGauges(metrics: Metrics, { pool }: Database): void {
  metrics.gauge('market_db_connections', 'Open database connections', () => pool.totalCount);
  metrics.gauge('market_db_waiting', 'Requests waiting for a database connection', () => pool.waitingCount);
  metrics.gauge('market_jobs_ready', 'Jobs waiting or running', async () => (await countJobs(pool)).ready);
  metrics.gauge('market_jobs_dead', 'Jobs that failed for good', async () => (await countJobs(pool)).dead);
  metrics.gauge(
    'market_jobs_oldest_due_seconds',
    'How long the oldest due job has waited',
    async () => (await countJobs(pool)).oldestDueSeconds,
  );
}

function addPayoutGauges(metrics: Metrics, { db }: Database): void {
  metrics.gauge(
    'market_outflow_closed',
    '1 while nothing is signed until market reconcile',
    async () => (await readPayoutGauges(db)).closed,
  );
  metrics.gauge('market_outflow_hour_usdc', 'USDC signed to leave within the last hour', async () =>
    Number((await readPayoutGauges(db)).hourMicros / 1_000_000n),
  );
  metrics.gauge('market_payouts_queued', 'Payouts that wait to be signed', async () => (await readPayoutGauges(db)).queued);
  metrics.gauge('market_payouts_parked', 'Payouts that wait for a person or an account', async () => (await readPayoutGauges(db)).parked);
}
