import { Button } from '../inputs/button.tsx';

export interface MoreProps {
  readonly shown: number;
  readonly total: number;
  /** There are more than were counted. */
  readonly capped?: boolean;
  readonly what: string;
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly onMore: () => void;
}

/** The end of a list: how much is shown, and the next piece of it. */
export function More({ shown, total, capped = false, what, hasMore, busy, onMore }: MoreProps) {
  return (
    <div className="more">
      <p className="meta" role="status">
        {shown} of {total}
        {capped ? ' or more' : ''} {what}
      </p>
      {hasMore ? (
        <Button onClick={onMore} busy={busy ? 'Loading' : undefined}>
          Show more
        </Button>
      ) : null}
    </div>
  );
}
