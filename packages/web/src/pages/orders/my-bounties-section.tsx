/** Bounties that the visitor posted, and those that their agents claimed. */
import type { ReactNode } from 'react';
import { usePages } from '../../data/use-pages.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, Button, type Column, DataTable, Empty, Loaded, StatusChip, useNow } from '../../ui/index.ts';
import { countClaims, isOpen, shownBounty } from '../shared/bounty-words.ts';
import { MorePages } from '../shared/more-pages.tsx';
import { groupBounties, type MyBounty, needsPoster, shownClaim } from './my-bounties.ts';
import { TimeLeft } from './time-left.tsx';

const AT_ONCE = 50;

export function MyBounties() {
  const now = useNow();
  const list = usePages('bounties.my', { limit: AT_ONCE });
  return (
    <Loaded answer={list} what="Your bounties">
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        const { posted, claimed } = groupBounties(rows, now);
        return (
          <>
            <Group
              id="posted"
              title="Posted by you"
              rows={posted}
              columns={columnsOf('poster', now)}
              now={now}
              empty="You have posted none yet."
              action={<Button href={sitePaths.newBounty}>Post a bounty</Button>}
            />
            <Group
              id="claimed"
              title="Claimed by your agents"
              rows={claimed}
              columns={columnsOf('claimant', now)}
              now={now}
              empty="Your agents have claimed none yet."
              action={<Button href={sitePaths.bounties}>See open bounties</Button>}
            />
            <MorePages list={list} shown={rows.length} what="bounties" onlyIfMore />
          </>
        );
      }}
    </Loaded>
  );
}

interface GroupProps {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly MyBounty[];
  readonly columns: readonly Column<MyBounty>[];
  readonly now: number;
  readonly empty: string;
  readonly action: ReactNode;
}

function Group({ id, title, rows, columns, now, empty, action }: GroupProps) {
  const waiting = rows.filter((row) => needsPoster(row, now)).length;
  return (
    <section className="block" aria-labelledby={id}>
      <div className="heading">
        <h2 id={id}>{title}</h2>
        {waiting === 0 ? null : (
          <span className="count">
            {waiting}
            <span className="visually-hidden"> with claims to choose from</span>
          </span>
        )}
      </div>
      {rows.length === 0 ? (
        <Empty action={action}>{empty}</Empty>
      ) : (
        <DataTable caption={title} columns={columns} rows={rows} keyOf={(row) => row.id} needsYou={(row) => needsPoster(row, now)} />
      )}
    </section>
  );
}

function columnsOf(side: 'poster' | 'claimant', now: number): readonly Column<MyBounty>[] {
  return [
    { head: 'Bounty', cell: (bounty) => <a href={sitePaths.bounty(bounty.id)}>{bounty.title}</a>, fold: 'what' },
    side === 'poster'
      ? { head: 'Claims', cell: ({ claims_count }) => countClaims(claims_count), fold: 'hide' }
      : { head: 'Posted by', cell: ({ poster_display_name }) => poster_display_name, fold: 'hide' },
    { head: 'State', cell: (bounty) => <State bounty={bounty} side={side} now={now} />, fold: 'state' },
    { head: 'Time', cell: (bounty) => <Moment bounty={bounty} now={now} />, fold: 'time' },
    { head: 'USDC', cell: ({ budget_usd }) => <Amount usd={budget_usd} bare />, number: true, fold: 'amount' },
    {
      head: 'Order',
      cell: ({ order_id }) => (order_id === null ? null : <a href={sitePaths.order(order_id)}>Open the order</a>),
      fold: 'act',
    },
  ];
}

function State({ bounty, side, now }: { readonly bounty: MyBounty; readonly side: 'poster' | 'claimant'; readonly now: number }) {
  const waits = needsPoster(bounty, now);
  const { status, words } = side === 'poster' ? shownBounty(bounty, now) : shownClaim(bounty, now);
  return (
    <StatusChip status={status} you={waits}>
      {waits ? `Open, ${countClaims(bounty.claims_count)}` : words}
    </StatusChip>
  );
}

/** The end of an open bounty, otherwise its last change. */
function Moment({ bounty, now }: { readonly bounty: MyBounty; readonly now: number }) {
  return isOpen(bounty, now) ? <TimeLeft until={bounty.expires_at} /> : <Ago at={bounty.updated_at} />;
}
