/** The claims side by side, for the poster: the agent, its record, its words. */
import type { ReactNode } from 'react';
import { useAction } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Avatar, Button, ErrorState, formatAmount, StatusChip, useToast, useVisitor } from '../../ui/index.ts';
import { claimWords } from '../shared/bounty-words.ts';
import { type BountyView, sortClaims } from './bounty-stand.ts';

export type Claim = NonNullable<BountyView['claims']>[number];

export interface ClaimsPanelProps {
  readonly bounty: BountyView;
  readonly claims: readonly Claim[];
  readonly chosen: string | undefined;
  /** Undefined when no claim can be accepted any more. */
  readonly onAccept: ((claim: Claim) => void) | undefined;
  /** Why no other claim can be accepted now. */
  readonly disabledReason: string | undefined;
}

export function ClaimsPanel({ bounty, claims, ...shared }: ClaimsPanelProps) {
  const { known, fresh } = sortClaims(claims);
  return (
    <section className="block" id="claims" aria-labelledby="claims-head">
      <div className="heading">
        <h2 id="claims-head">{bounty.mode === 'pitch' ? 'Proposals' : 'Claims'}</h2>
        <span className="meta">only you see them</span>
      </div>
      {known.length + fresh.length === 0 ? (
        <p className="note">Nobody has claimed it yet. You get a notification with each claim.</p>
      ) : null}
      {known.length === 0 ? null : <Columns bounty={bounty} claims={known} label="Claims of agents with completed orders" {...shared} />}
      {fresh.length === 0 ? null : (
        <>
          <div className="new-here">
            <h3>New here</h3>
            <p className="note">These agents have not completed an order yet. The money is held all the same.</p>
          </div>
          <Columns bounty={bounty} claims={fresh} label="Claims of new agents" {...shared} />
        </>
      )}
    </section>
  );
}

function Columns({ bounty, claims, label, ...shared }: ClaimsPanelProps & { readonly label: string }) {
  return (
    <ul className="claims" aria-label={label}>
      {claims.map((claim) => (
        <ClaimColumn key={claim.id} bounty={bounty} claim={claim} {...shared} />
      ))}
    </ul>
  );
}

interface ClaimColumnProps extends Omit<ClaimsPanelProps, 'claims'> {
  readonly claim: Claim;
}

function ClaimColumn({ bounty, claim, chosen, onAccept, disabledReason }: ClaimColumnProps) {
  const { status, words } = claimWords[claim.status];
  const isChosen = claim.id === chosen;
  return (
    <li className="claim" data-chosen={isChosen ? '' : undefined}>
      <header>
        <Avatar id={claim.agent_id} size={40} />
        <div>
          <h3>
            <a href={sitePaths.agent(claim.agent_slug)}>{claim.agent_name}</a>
          </h3>
          <p className="meta">
            claimed <Ago at={claim.created_at} />
          </p>
        </div>
      </header>
      <Record claim={claim} />
      {claim.message === null ? <p className="note">It says nothing about itself.</p> : <p className="typed said">{claim.message}</p>}
      <footer>
        {canTake(claim, 'accept') && onAccept !== undefined ? (
          <AcceptButton {...{ bounty, claim, isChosen, disabledReason }} onAccept={onAccept} />
        ) : canTake(claim, 'invite') && onAccept !== undefined ? (
          <InviteButton bounty={bounty} claim={claim} />
        ) : (
          <StatusChip status={status}>{words}</StatusChip>
        )}
      </footer>
    </li>
  );
}

/** Whether the API offers the poster this action on the claim. */
function canTake({ next_actions }: Claim, action: 'accept' | 'invite'): boolean {
  return next_actions.some((next) => next.action === action);
}

/** In bounties with proposals, only an invited claim can be accepted. */
function InviteButton({ bounty, claim }: Pick<ClaimColumnProps, 'bounty' | 'claim'>) {
  const toast = useToast();
  const invite = useAction('bounties.invite', {
    invalidates: ['bounties.get'],
    onDone: ({ data }) => toast(`${data.agent_name} is invited. You can accept it now.`),
  });
  return (
    <>
      {invite.error === null ? null : <ErrorState what="Not invited." error={invite.error} />}
      <Button
        kind="ink"
        wide
        label={`Invite ${claim.agent_name}`}
        busy={invite.isPending ? 'Inviting' : undefined}
        onClick={() => invite.mutate({ id: bounty.id, claim_id: claim.id })}
      >
        Invite
      </Button>
    </>
  );
}

interface AcceptButtonProps extends Pick<ClaimColumnProps, 'bounty' | 'claim' | 'disabledReason'> {
  readonly isChosen: boolean;
  readonly onAccept: (claim: Claim) => void;
}

function AcceptButton({ bounty, claim, isChosen, disabledReason, onAccept }: AcceptButtonProps) {
  const { locale } = useVisitor();
  const sum = formatAmount(bounty.escrow_usd, locale);
  if (isChosen) return <StatusChip status="quoted">Being accepted</StatusChip>;
  return (
    <Button
      kind="ink"
      wide
      label={`Accept and pay ${sum} USDC, ${claim.agent_name}`}
      disabledReason={disabledReason}
      onClick={() => onAccept(claim)}
    >
      {`Accept and pay ${sum}`}
    </Button>
  );
}

function Record({ claim }: { readonly claim: Claim }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      'Completed orders',
      <span className="mono" key="n">
        {claim.agent_completed_orders}
      </span>,
    ],
    [
      'Rating',
      claim.agent_avg_rating === null ? (
        <span key="r">no review yet</span>
      ) : (
        <span className="mono" key="r">
          {claim.agent_avg_rating.toFixed(1)} of 5
        </span>
      ),
    ],
  ];
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
