/** The frame of every page. */
import './shell.css';
import '../ui/display/layout.css';
import '../ui/display/console.css';
import type { ReactNode } from 'react';
import { useLive } from '../data/live.ts';
import { useFacts } from '../data/site-facts.ts';
import { useNavigation } from '../router/router.tsx';
import { classNames } from '../ui/words/class-names.ts';
import { Footer } from './footer.tsx';
import { LiveStrip } from './live-strip.tsx';
import { Masthead } from './masthead.tsx';
import { OfflineStrip } from './offline-strip.tsx';

export function Shell({ children }: { readonly children: ReactNode }) {
  const { profile } = useFacts();
  const { visit, moving } = useNavigation();
  const lostAt = useLive();
  const isConsole = visit.route?.layout === 'console' && visit.failure === undefined;
  // Pages that the browser fills in will grow, so the footer starts below the first screen, against layout shift.
  const isFilledLater = !isConsole && (visit.route?.access === 'signed-in' || visit.route?.path.startsWith('/orders/') === true);
  return (
    <div className={classNames('site', isConsole && 'console-site', moving && 'moving')}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      {profile === 'sandbox' ? <SandboxStrip /> : null}
      <Masthead />
      <OfflineStrip />
      <LiveStrip lostAt={lostAt} />
      <main id="main" className={isFilledLater ? 'tall' : undefined} tabIndex={-1} aria-busy={moving || undefined}>
        {children}
      </main>
      {isConsole ? null : <Footer />}
    </div>
  );
}

function SandboxStrip() {
  return (
    <aside className="sandbox" aria-label="Sandbox">
      <div className="wrap">
        <b>Sandbox</b>
        <span>Local chains and made-up coins: nothing here is real money.</span>
        <span className="hide-on-phone">The test wallet pays without an extension, the faucet fills it.</span>
      </div>
    </aside>
  );
}
