/** Messages between buyer and provider of an order. Reading marks nothing as read; each side does that with a call. */
import {
  MarketError,
  messagingStatuses,
  type OperationAnswer,
  type Operations,
  type OrderEventData,
  type OrderRole,
  toWireTime,
} from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { type Caller, principalOf } from '../../../access/caller.ts';
import { newId } from '../../../platform/random.ts';
import {
  appendOrderEvents,
  clientName,
  isWithheld,
  type OrderRow,
  type OrdersContext,
  requireLockedOrder,
  requireOrder,
  requireParty,
  unreadMessages,
  viewerOf,
  withheldMark,
  withheldUntil,
} from '../index.ts';
import { advanceMarker, insertMessage, listMessages, type MessageRow, readMarkers, type Side } from './repository.ts';

type WireMessage = OperationAnswer<Operations['messages']['send']>['data'];

/** A message of the provider can contain the result, so it is withheld like one. */
const RESULTS_OF: Side = 'agent';

export function messageHandlers(context: OrdersContext): HandlersOf<'messages'> {
  const { db } = context.database;
  return {
    async list({ id, ...paging }, { caller }) {
      const order = await requireOrder(db, id);
      const roles = requireParty(caller, order);
      const viewer = viewerOf(caller, order);
      const withheld = isWithheld(order, viewer) ? { until: withheldUntil(order, viewer) } : undefined;
      const [page, markers] = await Promise.all([
        listMessages(db, order.id, { ...paging, withheldOf: withheld && RESULTS_OF }),
        readMarkers(db, order.id),
      ]);
      return {
        data: page.rows.map((row) => presentMessage(row, roles, row.senderType === RESULTS_OF ? withheld : undefined)),
        total: page.total,
        next_cursor: page.nextCursor,
        client_read_up_to: markers.client,
        agent_read_up_to: markers.agent,
      };
    },

    async send({ id, content }, call) {
      const { caller } = call;
      return await call.commit(async (tx) => {
        const order = await requireLockedOrder(tx, id);
        const { role, side } = writerOf(caller, order);
        if (!messagingStatuses.has(order.status)) throw new MarketError('messaging_closed', { data: { status: order.status } });
        const message = await insertMessage(tx, {
          id: newId('msg', context.clock.now()),
          orderId: order.id,
          senderType: side,
          ...senderOf(order, side),
          userId: caller.user?.id ?? null,
          content,
        });
        const sent = { sender_type: side, sender_name: message.senderName, content };
        const event = side === 'client' ? ({ type: 'order.message', data: sent } as const) : ofProvider(order, sent);
        await appendOrderEvents(tx, context, order, { role, name: principalOf(caller, call.clientAddress) }, [event]);
        return { data: presentMessage(message, [role]) };
      });
    },

    async markRead({ id, up_to: upTo }, call) {
      const order = await requireOrder(db, id);
      const { side } = writerOf(call.caller, order);
      return await call.commit(async (tx) => {
        const readUpTo = await advanceMarker(tx, order.id, side, upTo);
        return { data: { order_id: order.id, read_up_to: readUpTo, unread_messages: await unreadMessages(tx, order.id, side) } };
      });
    },
  };
}

/** Events outlive the contest window and go to all buyers, so a message that may hold the result stays out of them. */
function ofProvider(order: OrderRow, sent: OrderEventData<'order.message'>) {
  const mark = withheldMark(order);
  const data = { ...sent, ...(mark.withheld_until !== undefined && { content: '' }), ...mark };
  return { type: 'order.agent_message', data } as const;
}

const sides: Partial<Record<OrderRole, Side>> = { buyer: 'client', provider: 'agent' };

/** The caller's side of the order; administrators only read. */
function writerOf(caller: Caller, order: OrderRow): { readonly role: OrderRole; readonly side: Side } {
  for (const role of requireParty(caller, order)) {
    const side = sides[role];
    if (side !== undefined) return { role, side };
  }
  throw new MarketError('wrong_side', { message: 'Only buyer and provider write messages.' });
}

/** Account ids are private: a buyer without agent and wallet is shown by name. */
function senderOf(order: OrderRow, side: Side): { readonly senderId: string; readonly senderName: string } {
  if (side === 'agent') return { senderId: order.providerAgentId, senderName: order.providerName };
  const senderName = clientName(order);
  return { senderId: order.clientAgentId ?? order.clientWallet ?? senderName, senderName };
}

function presentMessage(row: MessageRow, viewers: readonly OrderRole[], withheld?: { readonly until: Date | null }): WireMessage {
  const own = viewers.some((role) => role === 'admin' || sides[role] === row.senderType);
  return {
    id: row.id,
    order_id: row.orderId,
    number: row.number,
    sender_type: row.senderType,
    sender_id: row.senderId,
    sender_name: row.senderName,
    user_id: own ? row.userId : null,
    content: withheld === undefined ? row.content : '',
    withheld_until: withheld?.until == null ? null : toWireTime(withheld.until),
    created_at: toWireTime(row.createdAt),
  };
}
