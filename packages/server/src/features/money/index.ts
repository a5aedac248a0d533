/** Money for people and operators: statements, payouts that need a decision, unclaimed transfers. */
import { formatUsd, MarketError, type NetworkName, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import { isOwner } from '../../access/ownership.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { type AgentRow, findAgent } from '../agents/index.ts';
import { lockBalance, surplusPayable } from '../ledger/index.ts';
import { recordAdminAction } from '../moderation/index.ts';
import { areReceiptsFinal, listUnmatched, surplusSubjectOf } from '../payments/index.ts';
import { findPayoutFor, listPayouts, type PayoutRow, queuePayout, requireRetryable, retryParkedPayout } from '../payouts/index.ts';
import { countCompleted, listPayoutsOfAgent, readEarningsDays, readStanding } from './earnings-repository.ts';
import { giveBackReceipt, requireForeignTransfer } from './give-back-receipt.ts';
import { type ExplorerUrl, presentAgentPayout, presentEarnings, presentLine, presentPayout } from './present.ts';
import { readBalances, readStatement, readTotals } from './statements-repository.ts';
import { listSurplusSources, type SurplusSource } from './surplus-repository.ts';

export interface MoneyContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly events: EventLog;
  readonly log: Logger;
  readonly explorerUrl: ExplorerUrl;
}

export function moneyHandlers(context: MoneyContext): HandlersOf<'money'> {
  const { db } = context.database;
  return {
    async agentStatement({ id, order_id: orderId, ...page }, { caller }) {
      const agent = await requireAgent(context, caller, id);
      const account = { kind: 'agent_payable', owner: agent.id };
      const { lines, total, nextCursor } = await readStatement(db, account, { ...page, subjectId: orderId });
      const balances = (await readBalances(db, account)).map(({ network, micros }) => ({ network, owed_usd: formatUsd(micros) }));
      return { data: { lines: lines.map(presentLine), balances }, total, next_cursor: nextCursor };
    },

    async agentEarnings({ id, days }, { caller }) {
      const agent = await requireAgent(context, caller, id);
      const [perDay, standing, { completed, firstTime }] = await Promise.all([
        readEarningsDays(db, agent.id, days),
        readStanding(db, agent.id),
        countCompleted(db, agent.id, days),
      ]);
      return { data: presentEarnings(perDay, standing, completed, firstTime) };
    },

    async agentPayouts({ id, ...page }, { caller }) {
      const agent = await requireAgent(context, caller, id);
      const { rows, nextCursor } = await listPayoutsOfAgent(db, agent.id, page);
      return { data: rows.map((row) => presentAgentPayout(row, context.explorerUrl)), next_cursor: nextCursor };
    },

    async platformStatement({ order_id: orderId, ...page }) {
      const { lines, total, nextCursor } = await readStatement(db, { kind: 'platform_fee', owner: '' }, { ...page, subjectId: orderId });
      const totals = (await readTotals(db)).map(({ network, account, micros }) => ({ network, account, total_usd: formatUsd(micros) }));
      return { data: { lines: lines.map(presentLine), totals }, total, next_cursor: nextCursor };
    },

    async payouts({ state, ...page }) {
      const { rows, total, nextCursor } = await listPayouts(db, state, page);
      return { data: rows.map(presentPayout), total, next_cursor: nextCursor };
    },

    async retryPayout({ payout_id: payoutId, destination }, call) {
      const address = await requireRetryable(db, context.chains, payoutId, destination);
      return await call.commit(async (tx) => {
        const payout = await retryParkedPayout(tx, payoutId, address);
        await recordTransfer(tx, call.caller, 'payout.retry', payout);
        return { data: presentPayout(payout) };
      });
    },

    async unmatched(page) {
      const { rows, total, nextCursor } = await listUnmatched(db, page);
      const data = rows.map((row) => ({
        network: row.network as NetworkName,
        reference: row.reference,
        payer: row.payer,
        received_usd: formatUsd(row.receivedMicros),
        finality: row.finality,
        block_time: toWireTime(row.blockTime),
      }));
      return { data, total, next_cursor: nextCursor };
    },

    async refundSurplus({ network, payer: text }, call) {
      const payer = context.chains.get(network)?.canonicalAddress(text);
      if (payer === undefined)
        throw new MarketError('network_not_available', { message: `This service cannot pay that address on ${network}.` });
      const from = surplusPayable(network, payer);
      return await call.commit(async (tx) => {
        const amountMicros = await lockBalance(tx, from);
        if (amountMicros === 0n) throw new MarketError('no_surplus');
        const sources = await listSurplusSources(tx, from);
        const isFinal = (await areReceiptsFinal(tx, { payer })) && sources.every(({ finality }) => finality === 'final');
        if (!isFinal) throw new MarketError('payment_not_final', { retryAfterSeconds: 5 });
        const subjectId = await nameSurplus(tx, payer, sources);
        const payout = await queuePayout(tx, { purpose: 'surplus', subjectId, network, destination: payer, amountMicros, from });
        await recordTransfer(tx, call.caller, 'surplus.refund', payout);
        return { data: presentPayout(payout) };
      });
    },

    async refundUnmatched(transfer, call) {
      const foreign = await requireForeignTransfer(context, transfer);
      return await call.commit(async (tx) => {
        const payout = await giveBackReceipt(tx, context, foreign);
        await recordTransfer(tx, call.caller, 'receipt.refund', payout);
        return { data: presentPayout(payout) };
      });
    },
  };
}

/** Names a surplus after the first transfer that it came from, so that restored books give it the same name. A later surplus gets a new number. */
async function nameSurplus(tx: Tx, payer: string, [first]: readonly SurplusSource[]): Promise<string> {
  if (first === undefined) throw new Error(`the surplus of ${payer} came from no transfer`);
  for (let number = 0; ; number += 1) {
    const subjectId = surplusSubjectOf(first, payer, number);
    if ((await findPayoutFor(tx, 'surplus', subjectId)) === undefined) return subjectId;
  }
}

/** Finds an agent whose money the caller may read: the agent itself, its owner or an administrator. */
async function requireAgent({ database }: MoneyContext, caller: Caller, id: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, id);
  if (agent === undefined) throw new MarketError('agent_not_found');
  const allowed = caller.agent?.id === agent.id || isOwner(caller, agent) || caller.user?.admin === true;
  if (!allowed) throw new MarketError('forbidden', { message: 'This is for the agent, its owner and administrators.' });
  return agent;
}

/** Logs an operator's decision about money. */
async function recordTransfer(tx: Tx, caller: Caller, action: string, payout: PayoutRow): Promise<void> {
  const { id, network, destination, amountMicros } = payout;
  const details = { payout_id: id, network, destination, amount_usd: formatUsd(amountMicros) };
  await recordAdminAction(tx, caller, { action, subjectId: payout.subjectId, reason: null, details });
}

export { type OrderMoney, readOrderMoney } from './order-money.ts';
export { giveBackReceipt, requireForeignTransfer };
