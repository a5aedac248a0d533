/**
 * The ruling: an operator who is no party says what becomes of the money, and it happens in the same transaction.
 * Whoever comes second is refused.
 */
import { MarketError, type OperationArguments, type Operations, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import type { Tx } from '../../platform/db/database.ts';
import { adminName, recordAdminAction } from '../moderation/index.ts';
import {
  closeOpenDispute,
  findLatestDispute,
  hasPayoutFailed,
  lockOrder,
  type OrderRow,
  type OrdersContext,
  refundEscrow,
  releaseEscrow,
  requireAllowed,
  splitEscrow,
  takeStep,
} from '../orders/index.ts';
import { presentCase } from './present.ts';
import { sideOf } from './statements.ts';

type Ruling = Omit<OperationArguments<Operations['disputes']['rule']>, 'id'>;

const commands = { release: 'rule_release', refund: 'rule_refund', split: 'rule_split' } as const;

export function ruleDispute(context: OrdersContext): HandlersOf<'disputes'>['rule'] {
  return async ({ id, ...given }, call) =>
    await call.commit(async (tx) => {
      const order = await lockOrder(tx, id);
      if (order === undefined) throw new MarketError('order_not_found');
      if (sideOf(call.caller, order) !== undefined) throw new MarketError('conflict_of_interest');
      const { ruling, reason } = given;
      const actor = { role: 'admin', name: adminName(call.caller) } as const;
      const command = commands[ruling];
      const to = requireAllowed(order, command, actor);
      const refundMicros = refundOf(order, given);
      await settle(tx, context, order, ruling, refundMicros);
      await closeOpenDispute(tx, order.id, { state: 'ruled', ruling, rulingReason: reason, refundMicros, ruledBy: actor.name });
      const ended = await takeStep(tx, context, order, {
        command,
        to,
        actor,
        set: to === 'completed' ? { completedAt: order.now } : { cancelledAt: order.now },
        note: reason,
        events: [
          { type: 'order.dispute_ruled', data: { ruling, reason } },
          to === 'completed'
            ? { type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }
            : { type: 'order.cancelled', data: { previous_status: order.status } },
        ],
      });
      const details = { ruling, refund_micros: String(refundMicros) };
      await recordAdminAction(tx, call.caller, { action: 'dispute.ruled', subjectId: order.id, reason, details });
      const dispute = await findLatestDispute(tx, order.id);
      if (dispute === undefined) throw new Error(`the dispute of ${order.id} vanished`);
      return { data: await presentCase(tx, context, { order: ended, dispute, side: undefined }) };
    });
}

async function settle(tx: Tx, context: OrdersContext, order: OrderRow, ruling: Ruling['ruling'], refundMicros: bigint): Promise<void> {
  switch (ruling) {
    case 'release':
      return await releaseEscrow(tx, context, order);
    case 'refund':
      return await refundEscrow(tx, context, order);
    case 'split':
      return await splitEscrow(tx, context, order, refundMicros);
  }
}

/** What the buyer gets back. */
function refundOf(order: OrderRow, { ruling, refund_usd: given }: Ruling): bigint {
  if (ruling !== 'split') {
    if (given !== undefined) throw new MarketError('invalid_input', { message: 'refund_usd is for a split only.' });
    return ruling === 'refund' ? order.paidMicros : 0n;
  }
  const micros = given === undefined ? undefined : parseUsd(given);
  if (micros === undefined || micros <= 0n || micros >= (order.priceMicros ?? 0n)) {
    throw new MarketError('invalid_input', {
      message: 'A split needs refund_usd, a decimal string such as "40.00": more than 0 and less than the price.',
    });
  }
  return micros;
}
