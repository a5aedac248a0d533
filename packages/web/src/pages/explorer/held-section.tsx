import type { Answer } from '../../data/answers.ts';
import { useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import {
  Amount,
  ApiCalls,
  BigAmount,
  type Column,
  DataTable,
  Empty,
  Loaded,
  parseTime,
  Stale,
  StatusChip,
  Sum,
  Time,
  useNow,
} from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { type Held, partsOf } from './held-sums.ts';

type Reading = Answer<'stats.held'>['data']['networks'][number];

const POLL_MS = 30_000;
/** Treasuries are read every half minute; after this long a chain does not answer. */
const OLD_MS = 120_000;

const columns: readonly Column<Reading>[] = [
  { head: 'Network', cell: ({ network }) => networkWords[network], fold: 'what' },
  { head: 'Owed is covered', cell: ({ covered }) => <Covered covered={covered} />, fold: 'state' },
  { head: 'Read', cell: ({ read_at }) => <ReadAt at={read_at} />, fold: 'time' },
  { head: 'Held on chain', cell: ({ held_usd }) => <Amount usd={held_usd} bare />, number: true, fold: 'amount' },
  { head: 'Owed', cell: ({ owed_usd }) => <Amount usd={owed_usd} bare />, number: true, fold: 'hide' },
  { head: 'Own fees', cell: ({ own_usd }) => <Amount usd={own_usd} bare />, number: true, fold: 'hide' },
];

/** The promise of the whole market, first: what lies on the chains against what belongs to others. */
export function HeldSection() {
  const held = useAnswer('stats.held', {}, { everyMs: POLL_MS });
  return (
    <section aria-labelledby="held">
      <div className="h">
        <h2 id="held">Held against owed</h2>
        <span className="meta">Read from the chains every 30 seconds</span>
      </div>
      <Loaded answer={held} what="What is held">
        {({ data }) =>
          data.networks.length === 0 ? (
            <Empty>The treasuries have not been read yet. They are read every half minute.</Empty>
          ) : (
            <HeldFigures held={data} />
          )
        }
      </Loaded>
    </section>
  );
}

function HeldFigures({ held }: { readonly held: Held }) {
  const { serviceName } = useFacts();
  return (
    <div className="heldsplit">
      <div className="stack loose">
        <div className="heldfigure">
          <BigAmount usd={held.held_usd} unit="USDC held" />
          <Covered covered={held.covered} />
        </div>
        <p className="lead">
          {serviceName} holds <Amount usd={held.held_usd} />. Of it <Amount usd={held.owed_usd} bare /> belong to buyers and sellers, and{' '}
          <Amount usd={held.own_usd} bare /> are fees it has earned and not taken out.
        </p>
        <DataTable caption="Held and owed by network, in USDC" columns={columns} rows={held.networks} keyOf={({ network }) => network} />
        <ApiCalls calls={[{ name: 'stats.held', args: {} }]} />
      </div>
      <Sum
        lines={partsOf(held, serviceName).map(({ label, usd, kind }) => ({
          label,
          value: <Amount usd={usd} bare={kind !== 'total'} />,
          ...(kind !== undefined && { kind }),
        }))}
      />
    </div>
  );
}

function Covered({ covered }: { readonly covered: boolean }) {
  return covered ? (
    <StatusChip status="completed">All of it is there</StatusChip>
  ) : (
    <StatusChip status="disputed">Less than owed</StatusChip>
  );
}

function ReadAt({ at }: { readonly at: string }) {
  const now = useNow();
  const time = parseTime(at).getTime();
  return now - time > OLD_MS ? <Stale asOf={time} /> : <Time at={at} style="second" />;
}
