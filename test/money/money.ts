/** The parts of the service that move money, opened on a test's own database and chains, with helpers to read their state. */
import assert from 'node:assert/strict';
import { type errorCatalogue, MarketError, type NetworkName } from '@market/contract';
import { type AuditReport, runAudit } from '../../packages/server/src/features/audit/index.ts';
import { escrow } from '../../packages/server/src/features/ledger/index.ts';
import {
  claimPayment,
  createWaitingRoom,
  type PaymentRequest,
  type PaymentsContext,
  signedPurchase,
  verifyPayment,
  watchChains,
} from '../../packages/server/src/features/payments/index.ts';
import type { PayoutsContext } from '../../packages/server/src/features/payouts/index.ts';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { createDatabaseClock, type DatabaseClock } from '../../packages/server/src/platform/clock/database-clock.ts';
import type { Database } from '../../packages/server/src/platform/db/database.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { newId } from '../../packages/server/src/platform/random.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';

export const USDC = 1_000_000n;
export const NETWORKS: readonly NetworkName[] = ['base-mainnet', 'alt-mainnet', 'solana-mainnet'];

export type Money = PaymentsContext & PayoutsContext & { readonly clock: DatabaseClock };

/** `finalFromMicros` is 100 USDC, small enough that a test can pay more. */
export async function openMoney(market: { database: Database; chains: ReadonlyMap<NetworkName, Chain> }): Promise<Money> {
  const { database, chains } = market;
  return {
    database,
    chains,
    clock: await createDatabaseClock(database.pool),
    events: createEventLog(database),
    log: createLogger({ level: 'silent', pretty: false }),
    finalFromMicros: 100n * USDC,
    relayers: [],
    secrets: createSecretBox({ current: Buffer.from('a1'.repeat(32), 'hex'), previous: [] }),
    contest: { windowMinutes: 15, aboveMicros: 1n * USDC },
    baseUrl: 'https://market.example',
    claimHolders: {},
    waitingRoom: createWaitingRoom({ seconds: 0, places: 1 }),
  };
}

export function chainOf({ chains }: Pick<Money, 'chains'>, network: NetworkName): Chain {
  const chain = chains.get(network);
  assert.ok(chain, `no ${network}`);
  return chain;
}

/** A request to claim a transfer for a new, unpaid subject. */
export function requestFor(money: Money, network: NetworkName, reference: string, more: Partial<PaymentRequest> = {}): PaymentRequest {
  const now = money.clock.now();
  const subjectId = newId('ord', now);
  return {
    network,
    reference,
    purpose: 'order',
    subjectId,
    expectedMicros: 5n * USDC,
    payableSince: now,
    presenter: signedPurchase,
    ...more,
  };
}

/** Verifies and claims into the escrow of the subject, as an order does. */
export async function present(money: Money, request: PaymentRequest): Promise<'granted' | 'repeated'> {
  const verified = await verifyPayment(money, request);
  await money.database.transaction((tx) => claimPayment(tx, money, verified, escrow(request.network, request.subjectId)));
  return verified.kind === 'new' ? 'granted' : 'repeated';
}

/** The code of the refusal, or how the request was accepted. */
export async function outcomeOf(money: Money, request: PaymentRequest): Promise<keyof typeof errorCatalogue | 'granted' | 'repeated'> {
  try {
    return await present(money, request);
  } catch (error) {
    if (error instanceof MarketError) return error.code as keyof typeof errorCatalogue;
    throw error;
  }
}

/** Repeats `read` until it returns something else than undefined. */
export async function until<T>(what: string, read: () => Promise<T | undefined>, seconds = 60): Promise<T> {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; ) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not happen within ${seconds} s`);
}

/** Waits until the process has compared every treasury with its chain once. */
export async function untilCompared(shared: Pick<Money, 'database' | 'chains'>): Promise<void> {
  const treasuries = NETWORKS.map((network) => chainOf(shared, network).caip2);
  await until('the first comparison', async () => {
    const rows = await shared.database.db.selectFrom('outflowCursors').selectAll().execute();
    return treasuries.every((caip2) => rows.some(({ holder }) => holder === caip2)) ? true : undefined;
  });
}

/** Repeats the audit until watcher and listeners have caught up; findings that remain are real. */
async function auditCaughtUp(money: Money): Promise<AuditReport> {
  let report = await runAudit(money.database, money.chains);
  const patience = performance.now() + 60_000;
  for (let round = 0; report.findings.length > 0 && (round < 20 || (performance.now() < patience && (await isBehind(money)))); round++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    await watchChains(money);
    report = await runAudit(money.database, money.chains);
  }
  return report;
}

/** True while a follower has events or jobs left to handle. */
async function isBehind({ database }: Money): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `select 1 from event_queue union all select 1 from jobs where kind like 'event.%' and state = 'ready' and run_at <= market_now() limit 1`,
  );
  return rowCount === 1;
}

export async function requireSound(money: Money): Promise<void> {
  assert.deepEqual((await auditCaughtUp(money)).findings, []);
}
