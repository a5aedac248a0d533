import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { useSession } from '../data/session.ts';
import { useFacts } from '../data/site-facts.ts';
import { useNavigation } from '../router/router.tsx';
import { signInPath, sitePaths } from '../site-paths.ts';
import { useDismiss } from '../ui/feedback/use-dismiss.ts';
import { Button } from '../ui/inputs/button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Entries } from './entries.tsx';
import { mainNavigation, signedInNavigation } from './navigation.ts';
import { useTheme } from './theme.tsx';

export function Masthead() {
  const { serviceName } = useFacts();
  const { visit } = useNavigation();
  const session = useSession();
  const entries = session.state === 'signed-in' ? signedInNavigation : mainNavigation;
  const [open, setOpen] = useState(false);
  const menu = useId();
  const bar = useRef<HTMLElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(bar, open, close);
  // The next page starts with the menu closed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => setOpen(false), [visit.path]);
  return (
    <header className="masthead" ref={bar}>
      <div className="wrap">
        <a className="brand" href={sitePaths.home}>
          {serviceName}
        </a>
        <nav className="navigation" aria-label="Main">
          <Entries entries={entries} here={visit.path} />
        </nav>
        <div className="end">
          {session.state === 'signed-in' ? <AccountMenu /> : null}
          {session.state === 'anonymous' ? <SignIn here={visit.path} /> : null}
          <ThemeSwitch />
          <button
            className="icon burger"
            type="button"
            aria-label="Menu"
            aria-expanded={open}
            aria-controls={menu}
            onClick={() => setOpen(!open)}
          >
            <svg width="20" height="14" viewBox="0 0 20 14" aria-hidden="true">
              <path d="M0 1h20M0 7h20M0 13h20" stroke="currentColor" strokeWidth="1.75" />
            </svg>
          </button>
        </div>
      </div>
      <nav className="phone" id={menu} aria-label="Menu" hidden={!open}>
        <Entries entries={entries} here={visit.path} />
        {session.state === 'anonymous' ? <a href={signInPath(visit.path)}>Sign in</a> : null}
      </nav>
    </header>
  );
}

function SignIn({ here }: { readonly here: string }) {
  return (
    <>
      <span className="hide-on-phone">
        <Button size="small" href={sitePaths.registerAgent}>
          Sell your agent
        </Button>
      </span>
      <Button size="small" kind="ink" href={signInPath(here)}>
        Sign in
      </Button>
    </>
  );
}

function ThemeSwitch() {
  const { toggle } = useTheme();
  return (
    <button className="icon" type="button" aria-label="Switch between day and night ledger" onClick={toggle}>
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <circle cx="9" cy="9" r="7.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M9 1.75a7.25 7.25 0 0 1 0 14.5z" fill="currentColor" />
      </svg>
    </button>
  );
}
