import { formatAgo, formatTime, parseTime, type TimeStyle } from '../words/format.ts';
import { useNow, useVisitor } from '../words/visitor.ts';

/** A point in time in the visitor's language and zone, with all details on hover. */
export function Time({ at, style = 'sentence' }: { readonly at: string | number; readonly style?: TimeStyle }) {
  const visitor = useVisitor();
  return (
    <time dateTime={parseTime(at).toISOString()} title={formatTime(at, 'tooltip', visitor)}>
      {formatTime(at, style, visitor)}
    </time>
  );
}

/** An age like `12 min ago`, in the text typeface. */
export function Ago({ at }: { readonly at: string | number }) {
  const visitor = useVisitor();
  const now = useNow();
  return (
    <time dateTime={parseTime(at).toISOString()} title={formatTime(at, 'tooltip', visitor)}>
      {formatAgo(at, now)}
    </time>
  );
}
