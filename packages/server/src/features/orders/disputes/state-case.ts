/** One side of a dispute states its case. A statement cannot be changed afterwards. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { principalOf } from '../../../access/caller.ts';
import { newId } from '../../../platform/random.ts';
import { appendOrderEvents, type OrdersContext, requireLockedOrder, requireParty } from '../index.ts';
import { presentStatement } from './present.ts';
import { findLatestDispute, insertStatement, listStatements } from './repository.ts';
import { refusalToState, sideOf } from './statements.ts';

export function stateCase(context: OrdersContext): HandlersOf<'disputes'>['state'] {
  return async ({ id, statement, evidence_urls: evidenceUrls }, call) => {
    const { caller } = call;
    return await call.commit(async (tx) => {
      // The order's lock keeps statements before the ruling and within the allowed number.
      const order = await requireLockedOrder(tx, id);
      requireParty(caller, order);
      const side = sideOf(caller, order);
      if (side === undefined) throw new MarketError('wrong_side', { message: 'Only buyer and provider state their case.' });
      const dispute = await findLatestDispute(tx, order.id);
      if (dispute === undefined) throw new MarketError('dispute_not_found');
      const refusal = refusalToState(dispute, await listStatements(tx, dispute.id), side, order.now);
      if (refusal !== undefined) throw new MarketError(refusal);
      await context.files.attach(tx, evidenceUrls, { by: caller, subjectId: order.id });
      const actor = { role: side, name: principalOf(caller, call.clientAddress) } as const;
      const row = await insertStatement(tx, {
        id: newId('stm', context.clock.now()),
        disputeId: dispute.id,
        side,
        author: actor.name,
        statement,
        evidenceUrls,
        createdAt: order.now,
      });
      await appendOrderEvents(tx, context, order, actor, [{ type: 'order.dispute_stated', data: { side } }]);
      return { data: presentStatement(context, order, row) };
    });
  };
}
