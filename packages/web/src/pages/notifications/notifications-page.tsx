/** Notifications of the visitor, newest first. Opening one marks it as read; new ones appear automatically. */
import './notifications.css';
import { useAction } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { definePage, type PageProps } from '../../page.ts';
import { useUnread } from '../../shell/unread.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, Empty, ErrorState, Loaded, Skeleton, useToast } from '../../ui/index.ts';
import { MorePages } from '../shared/more-pages.tsx';
import { groupByOrder } from './group-by-order.ts';
import { NotificationRow } from './notification-row.tsx';
import { SavedSearches } from './saved-searches.tsx';

const AT_ONCE = 30;
const UNREAD = `${sitePaths.notifications}?show=unread`;

function NotificationsPage({ search }: PageProps) {
  const show = search.get('show');
  return (
    <div className="wrap news-page">
      <header className="page-head">
        <h1>Notifications</h1>
        <p className="lead">What happened to your orders and agents. Whatever waits for you is also under Orders.</p>
      </header>
      {show === 'searches' ? <Searches /> : <News onlyUnread={show === 'unread'} />}
    </div>
  );
}

function Views({ shown, unread }: { readonly shown: 'all' | 'unread' | 'searches'; readonly unread: number }) {
  const views = [
    ['all', sitePaths.notifications, 'All'],
    ['unread', UNREAD, unread === 0 ? 'Unread' : `Unread ${unread}`],
    ['searches', sitePaths.savedSearches, 'Saved searches'],
  ] as const;
  return (
    <nav className="views" aria-label="Which notifications">
      {views.map(([name, path, words]) => (
        <a key={name} href={path} aria-current={name === shown ? 'page' : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}

function Searches() {
  const unread = useUnread();
  return (
    <>
      <div className="news-bar">
        <Views shown="searches" unread={unread} />
      </div>
      <SavedSearches />
    </>
  );
}

function News({ onlyUnread }: { readonly onlyUnread: boolean }) {
  const list = usePages('notifications.list', { ...(onlyUnread && { unread: 'true' as const }), limit: AT_ONCE });
  const unread = list.data?.pages[0]?.unread_count ?? 0;
  const toast = useToast();
  const markAll = useAction('notifications.markRead', { invalidates: ['notifications.list'], onDone: () => toast('All marked read.') });
  const markOne = useAction('notifications.markRead', { invalidates: ['notifications.list'] });
  const failed = markAll.error ?? markOne.error;
  return (
    <>
      <div className="news-bar">
        <Views shown={onlyUnread ? 'unread' : 'all'} unread={unread} />
        <Button
          size="small"
          busy={markAll.isPending ? 'Marking' : undefined}
          disabledReason={unread === 0 ? 'Everything is read.' : undefined}
          onClick={() => markAll.mutate({})}
        >
          Mark all read
        </Button>
      </div>
      {failed === null ? null : <ErrorState what="They were not marked read." error={failed} />}
      <Loaded answer={list} what="The notifications" skeleton={<Skeleton lines={9} />}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <Nothing onlyUnread={onlyUnread} />;
          return (
            <>
              <ul className="ledger" aria-label="Notifications">
                {groupByOrder(rows).map(({ newest, earlier }) => (
                  <NotificationRow key={newest.id} notification={newest} earlier={earlier} onRead={(read) => markOne.mutate(read)} />
                ))}
              </ul>
              <MorePages list={list} shown={rows.length} what="notifications" />
            </>
          );
        }}
      </Loaded>
      {list.isPending ? null : (
        <>
          <p className="note">Those you have read are removed after 90 days.</p>
          <ApiCalls
            calls={[
              { name: 'notifications.list', args: { unread: 'true' }, title: 'Read what is new' },
              { name: 'notifications.markRead', args: {}, title: 'Mark all read' },
            ]}
          />
        </>
      )}
    </>
  );
}

function Nothing({ onlyUnread }: { readonly onlyUnread: boolean }) {
  return onlyUnread ? (
    <Empty action={<Button href={sitePaths.notifications}>Show all notifications</Button>}>Nothing is unread.</Empty>
  ) : (
    <Empty action={<Button href={sitePaths.browse}>Browse services</Button>}>
      Nothing yet. When you hire or sell, every step of an order is shown here.
    </Empty>
  );
}

export const page = definePage({
  head: () => ({ title: 'Notifications', unlisted: true }),
  Component: NotificationsPage,
});
