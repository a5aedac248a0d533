import { useContext } from 'react';
import { Stale } from '../ui/feedback/states.tsx';
import { MarketTimeContext } from '../ui/words/visitor.ts';

/** Shown below the masthead while the event stream is lost: the page may be outdated, and polls. */
export function LiveStrip({ lostAt }: { readonly lostAt: number | undefined }) {
  const { aheadMs } = useContext(MarketTimeContext);
  if (lostAt === undefined) return null;
  return (
    <div className="lost" role="status">
      <div className="wrap">
        <span>Live updates are away. What you see is asked for again every 20 seconds.</span> <Stale asOf={lostAt + aheadMs} />
      </div>
    </div>
  );
}
