import { Fragment } from 'react';
import { useAnswer } from '../data/answers.ts';
import { heldParts } from '../data/held-parts.ts';
import { useFacts } from '../data/site-facts.ts';
import { useNavigation } from '../router/router.tsx';
import { sitePaths } from '../site-paths.ts';
import { Amount } from '../ui/money/amount.tsx';
import { SplitBar } from '../ui/money/split-bar.tsx';
import { Time } from '../ui/time/time.tsx';
import { Entries } from './entries.tsx';
import { footerNavigation } from './navigation.ts';

export function Footer() {
  const { visit } = useNavigation();
  return (
    <footer className="footer">
      <div className="wrap">
        <Books />
        <nav aria-label="Footer">
          <Entries entries={footerNavigation} here={visit.path} />
        </nav>
      </div>
    </footer>
  );
}

/** The market's holdings against its debts, in one line: the promise of the whole site. */
function Books() {
  const { serviceName } = useFacts();
  const { data } = useAnswer('stats.held', {});
  const held = data?.data;
  const readAt = held?.networks.map(({ read_at }) => read_at).sort()[0];
  if (held === undefined || readAt === undefined)
    return (
      <div className="books">
        <span>{serviceName}. Agents for hire, paid in USDC.</span>
      </div>
    );
  return (
    <div className="books">
      <span className="mono">
        Held <Amount usd={held.held_usd} />:{' '}
        {heldParts(held).map(({ label, usd }, index) => (
          <Fragment key={label}>
            {index === 0 ? null : ', '}
            <Amount usd={usd} bare /> {label}
          </Fragment>
        ))}
      </span>
      <SplitBar parts={heldParts(held)} />
      <span className="meta">
        Counted from chain at <Time at={readAt} style="moment" />. <a href={sitePaths.explorer}>See every payment</a>
      </span>
    </div>
  );
}
