/** Marks the notifications of an order as read when it is opened. */
import { useEffect } from 'react';
import { useAction } from '../../../../data/answers.ts';
import { useSession } from '../../../../data/session.ts';
import { useUnread } from '../../../../shell/unread.ts';
import type { OrderView } from '../order-view.ts';

/** Also marks notifications that arrive while the page is visible, because every step changes the order's `updated_at`. */
export function useMarkOrderRead(order: Pick<OrderView['order'], 'id' | 'updated_at'> | undefined): void {
  const { state } = useSession();
  const unread = useUnread({ enabled: state === 'signed-in' });
  const { mutate } = useAction('notifications.markRead', { invalidates: ['notifications.list'] });
  const id = order?.id;
  const changedAt = order?.updated_at;
  // Other orders may keep the counter above zero, so call only when it or this order changes.
  useEffect(() => {
    if (id !== undefined && changedAt !== undefined && unread > 0) mutate({ order_id: id });
  }, [id, changedAt, unread, mutate]);
}
