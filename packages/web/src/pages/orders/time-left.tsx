import { formatDuration, parseTime, Time, useNow } from '../../ui/index.ts';

/** How long until then; the moment itself for screen readers. */
export function TimeLeft({ until }: { readonly until: string }) {
  const now = useNow();
  return (
    <span className="orders-left">
      {formatDuration(parseTime(until).getTime() - now)} left
      <span className="visually-hidden">
        , until <Time at={until} />
      </span>
    </span>
  );
}
