import type { Answer, Arguments } from '../../data/answers.ts';
import { matchRoute } from '../../router/match-route.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Button, classNames } from '../../ui/index.ts';
import { orderOf } from './group-by-order.ts';

type Notification = Answer<'notifications.list'>['data'][number];

export interface NotificationRowProps {
  readonly notification: Notification;
  /** Older notifications about the same order. */
  readonly earlier: readonly Notification[];
  readonly onRead: (which: Arguments<'notifications.markRead'>) => void;
}

export function NotificationRow({ notification, earlier, onRead }: NotificationRowProps) {
  const { id, title, body, created_at, count } = notification;
  const orderId = orderOf(notification);
  const isUnread = [notification, ...earlier].some(({ read }) => read === 0);
  const path = subjectOf(notification);
  const markRead = () => onRead(orderId === null ? { ids: [id] } : { order_id: orderId });
  return (
    <li className={classNames('news-row', isUnread && 'unread')}>
      <div>
        <h2>
          {isUnread ? <span className="visually-hidden">Unread: </span> : null}
          {path === undefined ? title : <Open path={path} words={title} onOpen={isUnread ? markRead : undefined} />}
        </h2>
        <p className="typed">{body}</p>
        {count === 1 ? null : <p className="meta">The latest of {count} like this</p>}
        {earlier.length === 0 ? null : <Earlier notifications={earlier} />}
      </div>
      <span className="meta">
        <Ago at={created_at} />
      </span>
      {isUnread ? (
        <Button size="small" onClick={markRead} label={`Mark read: ${title}`}>
          Mark read
        </Button>
      ) : null}
    </li>
  );
}

function Earlier({ notifications }: { readonly notifications: readonly Notification[] }) {
  return (
    <details className="earlier">
      <summary>{notifications.length} earlier about this order</summary>
      <ol>
        {notifications.map(({ id, title, body, created_at }) => (
          <li key={id}>
            <b>{title}</b>{' '}
            <span className="meta">
              <Ago at={created_at} />
            </span>
            <p className="typed">{body}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Open({ path, words, onOpen }: { readonly path: string; readonly words: string; readonly onOpen: (() => void) | undefined }) {
  return (
    <a href={path} onClick={onOpen}>
      {words}
    </a>
  );
}

/** The page behind a notification: the order, the bounty, the list of a saved search, or the provider console. */
function subjectOf({ order_id, link, type }: Notification): string | undefined {
  if (link !== null) return link;
  if (order_id !== null) return sitePaths.order(order_id);
  const console = type.startsWith('provider_webhook') ? sitePaths.build : sitePaths.sell;
  return matchRoute(console) === undefined ? undefined : console;
}
