/** The queue of a venue with the viewer's position: a mark for each withdrawal, the viewer's own filled. */
import { Amount } from '../../ui/index.ts';
import { centsOf } from './earn-words.ts';

export interface QueueDrawingProps {
  /** Position in the queue; 1 is next. */
  readonly place: number;
  /** Number of waiting withdrawals, including this one; undefined if unknown. */
  readonly waiting: number | undefined;
  readonly aheadMicros: string | null;
}

const MOST_MARKS = 24;
const STEP = 16;
const SIZE = 10;

export function QueueDrawing({ place, waiting = place, aheadMicros }: QueueDrawingProps) {
  const all = Math.max(place, waiting);
  const shown = Math.min(all, MOST_MARKS);
  // Only the front of a long queue is drawn; the text has the numbers.
  const own = Math.min(place, shown);
  return (
    <div className="queue">
      <svg
        viewBox={`0 0 ${MOST_MARKS * STEP} ${STEP}`}
        role="img"
        aria-label={place === 1 ? `Next of ${all} in the queue` : `Number ${place} of ${all} in the queue`}
      >
        {Array.from({ length: shown }, (_, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its place
            key={index}
            className={index + 1 === own ? 'own' : undefined}
            x={index * STEP + 1}
            y={(STEP - SIZE) / 2}
            width={SIZE}
            height={SIZE}
          />
        ))}
      </svg>
      <p className="note">
        {place === 1 ? 'Nobody is before you.' : `${place - 1} before you`}
        {place === 1 || aheadMicros === null ? null : (
          <>
            , together <Amount usd={centsOf(aheadMicros)} />.
          </>
        )}
      </p>
    </div>
  );
}
