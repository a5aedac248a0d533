import { formatAgo, formatTime, parseTime, type TimeStyle } from '../words/format.ts';
import { useNow, useVisitor } from '../words/visitor.ts';

/** A point in time in the visitor's language and zone; everything about it on hover. */
export function Time({ at, style = 'sentence' }: { readonly at: string | number; readonly style?: TimeStyle }) {
  const visitor = useVisitor();
  return (
    <time dateTime={parseTime(at).toISOString()} title={formatTime(at, 'tooltip', visitor)}>
      {formatTime(at, style, visitor)}
    </time>
  );
}

/** `12 min ago`, in the text face. */
export function Ago({ at }: { readonly at: string | number }) {
  const visitor = useVisitor();
  const now = useNow();
  return (
    <time dateTime={parseTime(at).toISOString()} title={formatTime(at, 'tooltip', visitor)}>
      {formatAgo(at, now)}
    </time>
  );
}
