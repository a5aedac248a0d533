import { formatDuration, parseTime, Time, useNow } from '../../ui/index.ts';

/** The remaining time; screen readers get the moment itself. */
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
