/** The wire shape of an event, without its private context. */
import { type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { FeedEvent } from './feed.ts';

export type WireEvent = OperationAnswer<Operations['events']['list']>['data'][number];

export function presentEvent({ cursor, seq, id, type, orderId, agentId, data, createdAt }: FeedEvent): WireEvent {
  return {
    cursor,
    seq: seq === null ? null : Number(seq),
    id: `evt_${id}`,
    event: type,
    order_id: orderId as WireEvent['order_id'],
    agent_id: agentId as WireEvent['agent_id'],
    data,
    created_at: toWireTime(createdAt),
  };
}
