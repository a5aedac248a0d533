import { useAnswer } from '../../data/answers.ts';
import { type Held, heldParts, owedParts } from '../../data/held-parts.ts';
import { useFacts } from '../../data/site-facts.ts';
import { sitePaths } from '../../site-paths.ts';
import {
  Amount,
  ApiCalls,
  BigAmount,
  type Column,
  DataTable,
  Empty,
  Loaded,
  parseTime,
  SplitBar,
  Stale,
  StatusChip,
  Sum,
  Time,
  useNow,
} from '../../ui/index.ts';
import { networkWords } from '../../words.ts';

type Reading = Held['networks'][number];

const POLL_MS = 30_000;
/** Treasuries are read every half minute; after this long the chain counts as not answering. */
const OLD_MS = 120_000;

const columns: readonly Column<Reading>[] = [
  { head: 'Network', cell: ({ network }) => networkWords[network], fold: 'what' },
  { head: 'Owed is covered', cell: ({ covered }) => <Covered covered={covered} />, fold: 'state' },
  { head: 'Read', cell: ({ read_at }) => <ReadAt at={read_at} />, fold: 'time' },
  { head: 'Held on chain', cell: ({ held_usd }) => <Amount usd={held_usd} bare />, number: true, fold: 'amount' },
  { head: 'Owed', cell: ({ owed_usd }) => <Amount usd={owed_usd} bare />, number: true, fold: 'hide' },
  { head: 'On its way', cell: ({ on_its_way_usd }) => <Amount usd={on_its_way_usd} bare />, number: true, fold: 'hide' },
  { head: 'Fees', cell: ({ own_usd }) => <Amount usd={own_usd} bare />, number: true, fold: 'hide' },
];

type Venue = Held['venues'][number];

const venueColumns: readonly Column<Venue>[] = [
  { head: 'Venue', cell: ({ key }) => <a href={sitePaths.vault(key)}>{key}</a>, fold: 'what' },
  { head: 'Owed is covered', cell: ({ covered }) => <Covered covered={covered} />, fold: 'state' },
  { head: 'Read', cell: ({ read_at }) => <Time at={read_at} style="list" />, fold: 'time' },
  { head: 'In the venue', cell: ({ held_usd }) => <Amount usd={held_usd} bare />, number: true, fold: 'amount' },
  { head: 'Owed to depositors', cell: ({ owed_usd }) => <Amount usd={owed_usd} bare />, number: true, fold: 'hide' },
  { head: 'Waiting to be paid', cell: ({ waiting_usd }) => <Amount usd={waiting_usd} bare />, number: true, fold: 'hide' },
];

/** The market's promise comes first: the balances on the chains against the amounts owed. */
export function HeldSection() {
  const held = useAnswer('stats.held', {}, { everyMs: POLL_MS });
  return (
    <section aria-labelledby="held">
      <div className="heading">
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
    <div className="held-split">
      <div className="stack loose">
        <div className="held-figure">
          <BigAmount usd={held.held_usd} unit="USDC held" />
          <Covered covered={held.covered} />
        </div>
        <p className="lead">
          {serviceName} holds <Amount usd={held.held_usd} />. Of it <Amount usd={held.owed_usd} bare /> belong to buyers and sellers,{' '}
          <Amount usd={held.on_its_way_usd} bare /> are on their way to them, and <Amount usd={held.own_usd} bare /> are fees it has earned
          and not taken out.
        </p>
        <SplitBar parts={heldParts(held)} />
        <DataTable caption="Held and owed by network, in USDC" columns={columns} rows={held.networks} keyOf={({ network }) => network} />
        <InVenues venues={held.venues} />
        <ApiCalls calls={[{ name: 'stats.held', args: {} }]} />
      </div>
      <Sum
        lines={[
          ...owedParts(held).map(({ label, usd }) => ({ label, value: <Amount usd={usd} bare />, kind: 'part' as const })),
          { label: 'Owed to buyers and sellers', value: <Amount usd={held.owed_usd} bare /> },
          { label: 'On its way out', value: <Amount usd={held.on_its_way_usd} bare /> },
          { label: `Fees earned by ${serviceName}`, value: <Amount usd={held.own_usd} bare /> },
          ...(Number(held.unbooked_usd) === 0 ? [] : [{ label: 'Received, being booked', value: <Amount usd={held.unbooked_usd} bare /> }]),
          ...(Number(held.missing_usd) === 0 ? [] : [{ label: 'Missing on chain', value: <Amount usd={`-${held.missing_usd}`} bare /> }]),
          { label: 'Held on chain', value: <Amount usd={held.held_usd} />, kind: 'total' as const },
        ]}
      />
    </div>
  );
}

/** Deposits of Earn are in venues. They are not part of the sums beside, because their value is the venue's. */
function InVenues({ venues }: { readonly venues: readonly Venue[] }) {
  if (venues.length === 0) return null;
  return (
    <div className="stack">
      <h3>In the venues of Earn</h3>
      <p className="note">Beside what is held here. Depositors own a share of each venue; it is worth what the venue would pay now.</p>
      <DataTable caption="Deposits in venues of Earn, in USDC" columns={venueColumns} rows={venues} keyOf={({ key }) => key} />
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
  return now - time > OLD_MS ? <Stale asOf={time} /> : <Time at={at} style="moment" />;
}
