/** Who is signed in, what waits for them, and where their things are. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAction, useAnswer } from '../data/answers.ts';
import { type Session, useSession, useSessionChanged } from '../data/session.ts';
import { useNavigation } from '../router/router.tsx';
import { sitePaths } from '../site-paths.ts';
import { Initials } from '../ui/avatar.tsx';
import { shorten } from '../ui/format.ts';
import { useDismiss } from '../ui/use-dismiss.ts';
import { Entries } from './masthead.tsx';
import { accountEntries, adminEntries, entriesThatExist } from './navigation.ts';

export function AccountMenu() {
  const session = useSession();
  const { place, navigate } = useNavigation();
  const sessionChanged = useSessionChanged();
  const waiting = useAnswer('orders.list', { needs_me: 'true', limit: 1 }).data?.total ?? 0;
  const signOut = useAction('auth.endSession', { onDone: () => void sessionChanged().then(() => navigate(sitePaths.home)) });
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(box, open, close);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => setOpen(false), [place.path]);
  const name = nameOf(session);
  return (
    <div className="account" ref={box}>
      {waiting > 0 ? (
        <a className="waiting" href={sitePaths.orders}>
          <span className="count">{waiting}</span> <span className="hide-s">need you</span>
          <span className="vh">{waiting === 1 ? 'order needs you' : 'orders need you'}</span>
        </a>
      ) : null}
      <button className="who" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Initials of={name} />
        <span className="m hide-s">{shorten(name)}</span>
        <span className="vh">Your account</span>
      </button>
      <div className="menu" hidden={!open}>
        <nav aria-label="Your account">
          <Entries entries={entriesThatExist([...accountEntries, ...(session.isAdmin ? adminEntries : [])])} here={place.path} />
        </nav>
        <button type="button" onClick={() => signOut.mutate({})}>
          Sign out
        </button>
      </div>
    </div>
  );
}

function nameOf({ wallet, user }: Session): string {
  return wallet?.address ?? user?.idp_user_id ?? '';
}
