/** An operator who is no party rules a dispute. The money follows in the same transaction; a second ruling is refused. */
import { MarketError, type OperationArguments, type Operations, parseUsd } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { endFeaturedPlace } from '../../agents/index.ts';
import { adminName, recordAdminAction } from '../../moderation/index.ts';
import { hasPayoutFailed, type OrderRow, type OrdersContext, requireAllowed, requireLockedOrder, takeStep } from '../index.ts';
import { presentCase } from './present.ts';
import { closeOpenDispute } from './repository.ts';
import { sideOf } from './statements.ts';

type Ruling = Omit<OperationArguments<Operations['disputes']['rule']>, 'id'>;

const commands = { release: 'rule_release', refund: 'rule_refund', split: 'rule_split' } as const;

export function ruleDispute(context: OrdersContext): HandlersOf<'disputes'>['rule'] {
  return async ({ id, ...given }, call) =>
    await call.commit(async (tx) => {
      const order = await requireLockedOrder(tx, id);
      if (sideOf(call.caller, order) !== undefined) throw new MarketError('conflict_of_interest');
      const { ruling, reason } = given;
      const actor = { role: 'admin', name: adminName(call.caller) } as const;
      const command = commands[ruling];
      const to = requireAllowed(order, command, actor);
      const refundMicros = refundOf(order, given);
      const closed = { state: 'ruled', ruling, rulingReason: reason, refundMicros, ruledBy: actor.name } as const;
      const dispute = await closeOpenDispute(tx, order.id, closed);
      const details = { ruling, refund_micros: String(refundMicros) };
      await recordAdminAction(tx, call.caller, { action: 'dispute.ruled', subjectId: order.id, reason, details });
      const ended = await takeStep(tx, context, order, {
        command,
        to,
        actor,
        refundMicros,
        set: to === 'completed' ? { completedAt: order.now } : { cancelledAt: order.now },
        note: reason,
        events: [
          { type: 'order.dispute_ruled', data: { ruling, reason } },
          to === 'completed'
            ? { type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }
            : { type: 'order.cancelled', data: { previous_status: order.status } },
        ],
      });
      if (ruling !== 'release' && (await endFeaturedPlace(tx, order.providerAgentId))) {
        const end = { action: 'agent.featured', subjectId: order.providerAgentId, details: { from: true, to: false } };
        await recordAdminAction(tx, call.caller, { ...end, reason: 'A dispute was lost.' });
      }
      return { data: await presentCase(tx, context, { order: ended, dispute, side: undefined, isWithheld: false }) };
    });
}

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
