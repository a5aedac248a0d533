import { Button } from '../inputs/button.tsx';

export interface MoreProps {
  readonly shown: number;
  readonly total: number;
  /** The total is a minimum, because counting stopped there. */
  readonly capped?: boolean;
  readonly what: string;
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly onMore: () => void;
}

/** The end of a list: the number of shown rows, and a button for more. */
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
