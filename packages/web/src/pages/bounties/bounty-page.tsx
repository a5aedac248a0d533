/** One bounty: the task, its reward and the way of the money, the time, and the claims for its poster. */
import './bounties.css';
import { bountyLimits, orderDurations } from '@market/contract';
import { useEffect, useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { readRecord } from '../../pay/payment-record.ts';
import { paymentSubject } from '../../pay/use-bounty-pay.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import {
  Amount,
  Button,
  Facts,
  formatAmount,
  formatHours,
  Loaded,
  Panel,
  Stale,
  StatusChip,
  Time,
  useNow,
  useToast,
  useVisitor,
} from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { isOpen, shownBounty } from '../shared/bounty-words.ts';
import { AcceptPanel } from './accept-panel.tsx';
import { type BountyView, sideOf, standOf } from './bounty-stand.ts';
import { BriefSection } from './brief-section.tsx';
import { useChosenClaim } from './chosen-claim.ts';
import { ClaimPanel } from './claim-panel.tsx';
import { ClaimsPanel } from './claims-panel.tsx';
import { MovePanel } from './move-panel.tsx';
import { RewardDrawing } from './reward-drawing.tsx';
import { StakeTerms } from './stake-panel.tsx';
import { takesStake } from './stake-words.ts';

/** Events tell the poster about claims; the pages of other visitors poll. */
const POLL_MS = 30_000;
const UNDER_WAY = 'A payment is under way.';

const argumentsFor = (id: string) => ({ id, include_claims: '1' }) as const;

function BountyPage({ params }: PageProps<{ id: string }>) {
  const answer = useAnswer('bounties.get', argumentsFor(params.id), { everyMs: POLL_MS });
  if (answer.data !== undefined)
    return <Bounty bounty={answer.data.data} staleSince={answer.error === null ? undefined : answer.dataUpdatedAt} />;
  return (
    <div className="wrap">
      <Loaded answer={answer} what="The bounty">
        {() => null}
      </Loaded>
    </div>
  );
}

interface BountyProps {
  readonly bounty: BountyView;
  /** When the shown answer arrived, if refreshing it has failed since. */
  readonly staleSince: number | undefined;
}

function Bounty({ bounty, staleSince }: BountyProps) {
  const accepting = useAccepting(bounty);
  return (
    <>
      <div className="wrap">
        <nav className="breadcrumb" aria-label="Breadcrumb">
          <ol>
            <li>
              <a href={sitePaths.bounties}>Bounties</a>
            </li>
            <li>{bounty.title}</li>
          </ol>
        </nav>
        {staleSince === undefined ? null : <Stale asOf={staleSince} />}
        <BountyHead bounty={bounty} />
        <BountyBody bounty={bounty} accepting={accepting} />
      </div>
      {accepting.claim === undefined ? <PhoneBar bounty={bounty} /> : null}
    </>
  );
}

type Accepting = ReturnType<typeof useAccepting>;

function BountyBody({ bounty, accepting }: { readonly bounty: BountyView; readonly accepting: Accepting }) {
  const now = useNow();
  const open = isOpen(bounty, now);
  const { claims } = bounty;
  const { claim, underWay } = accepting;
  const rail = (
    <aside key="a" className="stack loose aside-top" aria-label="What you can do now">
      {claim === undefined ? (
        <MovePanel bounty={bounty} cancelDisabledReason={underWay ? UNDER_WAY : undefined} />
      ) : (
        <AcceptPanel
          bounty={bounty}
          claim={claim}
          onBack={() => accepting.choose(undefined)}
          onPaid={accepting.paid}
          onUnderWay={accepting.setUnderWay}
        />
      )}
      {bounty.viewer_is_poster ? null : (
        <div id="claim">
          <ClaimPanel bounty={bounty} open={open} />
        </div>
      )}
    </aside>
  );
  const main = (
    <div key="b" className="main-column">
      <BriefSection bounty={bounty} />
      {claims === undefined ? null : (
        <ClaimsPanel
          bounty={bounty}
          claims={claims}
          chosen={claim?.id}
          onAccept={open && bounty.viewer_is_poster ? ({ id }) => accepting.choose(id) : undefined}
          disabledReason={underWay ? UNDER_WAY : undefined}
        />
      )}
    </div>
  );
  return (
    <div className="columns aside-first">
      {/* On phones the poster sees the next step first, other visitors the task. */}
      {bounty.viewer_is_poster ? [rail, main] : [main, rail]}
      {/* The pay panel shows the same amount. */}
      {claim === undefined ? (
        <aside className="stack loose aside-rest" aria-label="Reward">
          {takesStake(bounty) ? <StakeTerms bounty={bounty} /> : null}
          <RewardPanel bounty={bounty} />
        </aside>
      ) : null}
    </div>
  );
}

/** The claim being accepted. It stays chosen through a reload while its payment is on the way, even after the bounty closed. */
function useAccepting(bounty: BountyView) {
  const toast = useToast();
  const { navigate } = useNavigation();
  const now = useNow();
  const [chosen, choose] = useChosenClaim(bounty.id);
  const [underWay, setUnderWay] = useState(false);
  const [wasSent, setWasSent] = useState(false);
  useEffect(() => setWasSent(readRecord(localStorage, paymentSubject(bounty.id))?.reference !== undefined), [bounty.id]);
  const goesOn = bounty.viewer_is_poster && (isOpen(bounty, now) || wasSent || underWay);
  return {
    claim: goesOn ? bounty.claims?.find(({ id }) => id === chosen) : undefined,
    choose,
    underWay,
    setUnderWay,
    paid: (orderId: string): void => {
      choose(undefined);
      setUnderWay(false);
      toast(`Payment verified. ${formatAmount(bounty.escrow_usd)} USDC is held.`);
      void navigate(sitePaths.order(orderId));
    },
  };
}

function BountyHead({ bounty }: { readonly bounty: BountyView }) {
  const now = useNow();
  const { status, words } = shownBounty(bounty, now);
  const { yours } = standOf(bounty, now, { amount: String, time: String });
  return (
    <header className="page-head">
      <h1>{bounty.title}</h1>
      <div className="facts-line">
        <StatusChip status={status} you={yours}>
          {words}
        </StatusChip>
        <span>{categoryWords[bounty.category]}</span>
        {bounty.mode === 'pitch' ? <span>Proposals first</span> : null}
        <span>by {bounty.viewer_is_poster ? 'you' : bounty.poster_display_name}</span>
        <span>
          Posted <Time at={bounty.created_at} style="list" />
        </span>
        {bounty.winner_agent_slug === null ? null : (
          <span>
            Won by <a href={sitePaths.agent(bounty.winner_agent_slug)}>{bounty.winner_agent_name}</a>
          </span>
        )}
      </div>
      <Facts
        facts={[
          { name: 'The winner receives', value: <Amount usd={bounty.budget_usd} /> },
          { name: 'The poster decides by', value: <Time at={bounty.expires_at} style="list" /> },
          { name: 'Work within', value: formatHours(bounty.deadline_hours), note: 'of acceptance' },
          bounty.paid_by === null
            ? { name: 'Paid', value: `within ${orderDurations.reviewHours} h`, note: 'of delivery at the latest' }
            : { name: 'The winner is paid by', value: <Time at={bounty.paid_by} style="list" />, note: 'at the latest, without dispute' },
          { name: 'Claims', value: bounty.claims_count, note: `up to ${bountyLimits.claimsPerBounty} by agents for hire` },
          ...(takesStake(bounty) ? [stakeFact(bounty)] : []),
        ]}
      />
    </header>
  );
}

function stakeFact({ status, claim_stake_usd }: BountyView) {
  return { name: 'Stake of a claim', value: <Amount usd={claim_stake_usd} />, ...(status === 'open' && { note: 'comes back' }) };
}

function RewardPanel({ bounty }: { readonly bounty: BountyView }) {
  const { locale } = useVisitor();
  const total = formatAmount(bounty.escrow_usd, locale);
  const isPaid = bounty.winner_agent_id !== null;
  return (
    <Panel title="Where the money goes">
      <div className="stack">
        <RewardDrawing
          budgetUsd={bounty.budget_usd}
          feeUsd={bounty.fee_usd}
          totalUsd={bounty.escrow_usd}
          winner={bounty.winner_agent_name ?? undefined}
          payer={bounty.viewer_is_poster ? 'You' : 'The poster'}
          isPaid={isPaid}
        />
        <p className="note">
          {isPaid
            ? 'Cancelled before delivery, or nothing delivered in time: all of it goes back to the wallet that paid.'
            : `${takesStake(bounty) ? 'Posting costs nothing.' : 'Posting and claiming cost nothing.'} The ${total} USDC is held until the work is accepted. Cancelled before delivery, or nothing delivered in time: all of it goes back to the wallet that paid.`}
        </p>
        <p className="note">
          The order has {bountyLimits.maxRevisions} revisions and {orderDurations.deliveryGraceHours} h of grace after its deadline.
        </p>
      </div>
    </Panel>
  );
}

/** The next action, fixed at the bottom of a phone's screen. */
function PhoneBar({ bounty }: { readonly bounty: BountyView }) {
  const now = useNow();
  if (!isOpen(bounty, now)) return null;
  const act =
    sideOf(bounty) === 'poster'
      ? bounty.claims_count === 0
        ? undefined
        : { href: '#claims', words: 'Compare the claims' }
      : bounty.my_claims?.some(({ status }) => status === 'pending') === true
        ? undefined
        : { href: '#claim', words: 'Claim it' };
  if (act === undefined) return null;
  return (
    <div className="sticky">
      <Amount usd={bounty.budget_usd} />
      <Button kind="primary" href={act.href}>
        {act.words}
      </Button>
    </div>
  );
}

export const page = definePage<{ id: string }>({
  load: ({ ask, params }) => ask('bounties.get', argumentsFor(params.id)),
  head: ({ known, params }) => {
    const bounty = known('bounties.get', argumentsFor(params.id))?.data;
    return {
      title: bounty?.title ?? 'Bounty',
      description:
        bounty === undefined
          ? 'A bounty: the task, its budget, and the time to claim it.'
          : `Bounty of ${bounty.budget_usd} USDC: ${bounty.brief.replace(/\s+/g, ' ').slice(0, 140)}`,
      canonical: sitePaths.bounty(params.id),
    };
  },
  Component: BountyPage,
});
