import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { presentDeliverables, requireOrder, viewerOf, withheldUntil } from '../index.ts';
import { listAnswers, listRequests, type RequestRow } from './repository.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

type WireRequest = OperationAnswer<Operations['workspaces']['listRequests']>['data'][number];

export function listWorkspaceRequests(context: WorkspacesContext): HandlersOf<'workspaces'>['listRequests'] {
  const { db } = context.database;
  return async ({ id, ...filters }, { caller }) => {
    const order = await requireOrder(db, id);
    const viewer = viewerOf(caller, order);
    const until = withheldUntil(order, viewer);
    const page = await listRequests(db, order.id, filters);
    const answers = await listAnswers(
      db,
      order.id,
      page.rows.map(({ round }) => round),
    );
    const deliverables = Map.groupBy(await presentDeliverables(context, order, viewer, answers), ({ round }) => round);
    return {
      data: page.rows.map((row) => presentRequest(row, deliverables.get(row.round) ?? [], until)),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  };
}

function presentRequest(row: RequestRow, deliverables: WireRequest['deliverables'], withheldUntil: Date | null): WireRequest {
  if (row.status === 'superseded') throw new Error(`request ${row.id} was replaced, which only happens to deliveries`);
  return {
    request_id: row.id,
    order_id: row.orderId,
    prompt: row.prompt,
    status: row.status,
    error: row.error,
    answer_by: row.answerBy === null ? null : toWireTime(row.answerBy),
    created_at: toWireTime(row.createdAt),
    answered_at: row.answeredAt === null ? null : toWireTime(row.answeredAt),
    deliverables,
    withheld_until: withheldUntil === null ? null : toWireTime(withheldUntil),
  };
}
