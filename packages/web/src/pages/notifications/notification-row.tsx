import type { Answer } from '../../data/answers.ts';
import { matchRoute } from '../../router/match-route.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Button, classNames } from '../../ui/index.ts';

type Notification = Answer<'notifications.list'>['data'][number];

export function NotificationRow({ notification, onRead }: { readonly notification: Notification; readonly onRead: () => void }) {
  const { title, body, created_at, read } = notification;
  const isUnread = read === 0;
  const path = subjectOf(notification);
  return (
    <li className={classNames('news-row', isUnread && 'unread')}>
      <div>
        <h2>
          {isUnread ? <span className="vh">Unread: </span> : null}
          {path === undefined ? title : <Open path={path} words={title} onOpen={isUnread ? onRead : undefined} />}
        </h2>
        <p className="typed">{body}</p>
      </div>
      <span className="meta">
        <Ago at={created_at} />
      </span>
      {isUnread ? (
        <Button size="sm" onClick={onRead} label={`Mark read: ${title}`}>
          Mark read
        </Button>
      ) : null}
    </li>
  );
}

function Open({ path, words, onOpen }: { readonly path: string; readonly words: string; readonly onOpen: (() => void) | undefined }) {
  return (
    <a href={path} onClick={onOpen}>
      {words}
    </a>
  );
}

/** Where it can be looked at: the order, or the console of whoever sells. */
function subjectOf({ order_id, type }: Notification): string | undefined {
  if (order_id !== null) return sitePaths.order(order_id);
  const console = type.startsWith('provider_webhook') ? sitePaths.build : sitePaths.sell;
  return matchRoute(console) === undefined ? undefined : console;
}
