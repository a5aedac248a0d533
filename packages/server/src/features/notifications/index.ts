/** Notifications for accounts, wallets and agents, made from events. */
import { type OperationAnswer, type Operations, toFlag, toWireTime } from '@market/contract';
import { z } from 'zod';
import type { HandlersOf } from '../../access/call.ts';
import { type Caller, contractsOf, walletsOf } from '../../access/caller.ts';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { countUnread, deleteReadBefore, listNotifications, markRead, type NotificationRow, type Reader } from './repository.ts';

type WireNotification = OperationAnswer<Operations['notifications']['list']>['data'][number];

const KEPT_DAYS = 90;
const ONE_HOUR_SECONDS = 3600;

export function notificationHandlers({ database: { db } }: { readonly database: Database }): HandlersOf<'notifications'> {
  return {
    async list({ unread, ...paging }, { caller }) {
      const reader = readerOf(caller);
      const [page, unreadCount] = await Promise.all([
        listNotifications(db, reader, { ...paging, unread: unread === 'true' }),
        countUnread(db, reader),
      ]);
      return { data: page.rows.map(presentNotification), total: page.total, next_cursor: page.nextCursor, unread_count: unreadCount };
    },

    async markRead({ ids = [], order_id: orderId }, call) {
      const reader = readerOf(call.caller);
      return await call.commit(async (tx) => {
        await markRead(tx, reader, { ids, orderId });
        return { data: { unread_count: await countUnread(tx, reader) } };
      });
    },
  };
}

/** Deletes notifications that were read long ago. */
export function clearNotificationsJob({ db }: Database): JobDefinition {
  return defineJob({
    kind: 'notifications.clear',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: ONE_HOUR_SECONDS,
    run: async () => await deleteReadBefore(db, KEPT_DAYS),
  });
}

function readerOf(caller: Caller): Reader {
  const { user, agent } = caller;
  return { userId: user?.id ?? null, wallets: walletsOf(caller), contracts: contractsOf(caller), agentId: agent?.id ?? null };
}

function presentNotification(row: NotificationRow): WireNotification {
  return {
    id: row.id,
    user_id: row.userId,
    wallet: row.wallet,
    agent_id: row.agentId as WireNotification['agent_id'],
    type: row.type,
    title: row.count === 1 ? row.title : `${row.title} (${row.count})`,
    body: row.count === 1 ? row.body : `${row.body} This is the latest of ${row.count} of this kind.`,
    count: row.count,
    order_id: row.orderId,
    link: row.link,
    read: toFlag(row.readAt !== null),
    created_at: toWireTime(row.createdAt),
  };
}

export { notificationFollower } from './follower.ts';
