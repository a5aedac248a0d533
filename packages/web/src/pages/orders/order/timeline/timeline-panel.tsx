import { sitePaths } from '../../../../site-paths.ts';
import { Hash, Panel, Timeline, type TimelineEntry } from '../../../../ui/index.ts';
import { networkWords } from '../../../../words.ts';
import { isYourMove, type OrderView } from '../order-view.ts';
import { eventWords, nextWords } from './timeline-words.ts';

type Entry = OrderView['timeline'][number];

export function TimelinePanel({ view }: { readonly view: OrderView }) {
  return (
    <Panel title="Timeline" aside={view.order.paid_at === null ? undefined : <a href={sitePaths.receipt(view.order.id)}>Receipt</a>}>
      <Timeline entries={entriesOf(view)} />
    </Panel>
  );
}

function entriesOf(view: OrderView): readonly TimelineEntry[] {
  const last = view.timeline.at(-1);
  const next = nextWords(view);
  const future: readonly TimelineEntry[] =
    view.clock === null || next === undefined ? [] : [{ id: 'next', at: view.clock.at, what: next, state: 'next' }];
  return [...view.timeline.map((entry) => presentEntry(entry, view, entry === last)), ...future];
}

function presentEntry(entry: Entry, view: OrderView, isLast: boolean): TimelineEntry {
  const { what, rest } = eventWords(entry, view);
  return {
    id: entry.number,
    at: entry.at,
    what: (
      <>
        <b>{what}</b>
        {rest}
      </>
    ),
    ...((entry.note !== null || entry.tx_hash !== null) && { detail: <Detail entry={entry} /> }),
    ...(isLast && isYourMove(view) && { state: 'now' as const }),
  };
}

function Detail({ entry }: { readonly entry: Entry }) {
  return (
    <>
      {entry.note === null ? null : <span className="typed order-note">{entry.note}</span>}
      {entry.tx_hash === null ? null : (
        <span className="order-transaction">
          {entry.network === null ? '' : `${networkWords[entry.network]} `}
          <Hash value={entry.tx_hash} href={entry.explorer_url} what="transaction" />
        </span>
      )}
    </>
  );
}
