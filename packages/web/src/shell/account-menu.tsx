/** The account menu: the visitor's name, unread counts, and links. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAnswer } from '../data/answers.ts';
import { nameOf, useSession } from '../data/session.ts';
import { useSignOut } from '../data/sign-out.ts';
import { useNavigation } from '../router/router.tsx';
import { sitePaths } from '../site-paths.ts';
import { useDismiss } from '../ui/feedback/use-dismiss.ts';
import { Initials } from '../ui/marks/avatar.tsx';
import { Entries } from './entries.tsx';
import { accountEntries, adminEntries, entriesThatExist } from './navigation.ts';
import { useUnread } from './unread.ts';

export function AccountMenu() {
  const session = useSession();
  const { visit } = useNavigation();
  const waiting = useAnswer('orders.list', { needs_me: 'true', limit: 1 }).data?.total ?? 0;
  const unread = useUnread();
  const signOut = useSignOut();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(box, open, close);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => setOpen(false), [visit.path]);
  const name = nameOf(session);
  return (
    <div className="account" ref={box}>
      {waiting > 0 ? (
        <a className="waiting" href={sitePaths.orders}>
          <span className="count">{waiting}</span> <span className="hide-on-phone">need you</span>
          <span className="visually-hidden">{waiting === 1 ? 'order needs you' : 'orders need you'}</span>
        </a>
      ) : null}
      <a className="icon news hide-on-phone" href={sitePaths.notifications} aria-label={newsWords(unread)}>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5">
          <path d="M3.5 12.75h11L13 10.5V7.25a4 4 0 0 0-8 0v3.25zM7.25 15.25h3.5" />
        </svg>
        {unread === 0 ? null : <span className="mono">{unread > 99 ? '99+' : unread}</span>}
      </a>
      <button className="who" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Initials of={name} />
        <span className="name hide-on-phone">{name}</span>
        <span className="visually-hidden">Your account</span>
      </button>
      <div className="menu" hidden={!open}>
        <nav aria-label="Your account">
          <Entries
            entries={entriesThatExist([...accountEntries, ...(session.isAdmin ? adminEntries : [])])}
            here={visit.path}
            marks={{ [sitePaths.notifications]: unread }}
          />
        </nav>
        <button type="button" onClick={() => signOut.mutate({})}>
          Sign out
        </button>
      </div>
    </div>
  );
}

function newsWords(unread: number): string {
  return unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`;
}
