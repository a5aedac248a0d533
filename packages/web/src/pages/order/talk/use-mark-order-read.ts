/** Whoever opens an order has read its notifications. */
import { useEffect } from 'react';
import { useAction } from '../../../data/answers.ts';
import { useSession } from '../../../data/session.ts';
import { useUnread } from '../../../shell/unread.ts';
import type { OrderView } from '../order-view.ts';

/** What arrives while one looks is read, too: the order's time of change moves with every step. */
export function useMarkOrderRead(order: Pick<OrderView['order'], 'id' | 'updated_at'> | undefined): void {
  const { state } = useSession();
  const unread = useUnread({ enabled: state === 'signed-in' });
  const { mutate } = useAction('notifications.markRead', { invalidates: ['notifications.list'] });
  const id = order?.id;
  const changedAt = order?.updated_at;
  // Other orders may keep the counter above zero: only a change of it, or of this order, is worth a call.
  useEffect(() => {
    if (id !== undefined && changedAt !== undefined && unread > 0) mutate({ order_id: id });
  }, [id, changedAt, unread, mutate]);
}
