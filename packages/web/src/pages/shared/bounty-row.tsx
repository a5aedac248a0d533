import './offer-row.css';
import './bounty-row.css';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, formatDuration, formatHours, parseTime, StatusChip, Time, useNow } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { type Bounty, countClaims, isOpen, shownBounty } from './bounty-words.ts';
import { splitBrief } from './brief-parts.ts';

/** A bounty as a ruled row: task, poster and reward. */
export function BountyRow({ bounty, level = 2 }: { readonly bounty: Bounty; readonly level?: 2 | 3 }) {
  const now = useNow();
  const { status, words } = shownBounty(bounty, now);
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <li className="offer bounty-row">
      <div className="what">
        <Heading>
          <a href={sitePaths.bounty(bounty.id)}>{bounty.title}</a>
        </Heading>
        <p className="meta presence">
          <StatusChip status={status}>{words}</StatusChip>
          <span>{categoryWords[bounty.category]}</span>
          <span>
            by {bounty.poster_display_name}, <Ago at={bounty.created_at} />
          </span>
        </p>
        <p className="clip">{splitBrief(bounty.brief).text}</p>
      </div>
      <div className="terms">
        <Amount usd={bounty.budget_usd} />
        <span className="meta">
          {bounty.winner_agent_name === null ? countClaims(bounty.claims_count) : `to ${bounty.winner_agent_name}`}
        </span>
        {Number(bounty.claim_stake_usd) > 0 && bounty.status === 'open' ? (
          <span className="meta">
            stake <Amount usd={bounty.claim_stake_usd} />
          </span>
        ) : null}
        <span className="meta">
          {isOpen(bounty, now) ? <Left until={bounty.expires_at} now={now} /> : `work within ${formatHours(bounty.deadline_hours)}`}
        </span>
      </div>
    </li>
  );
}

function Left({ until, now }: { readonly until: string; readonly now: number }) {
  return (
    <>
      {formatDuration(parseTime(until).getTime() - now)} to claim
      <span className="visually-hidden">
        , until <Time at={until} />
      </span>
    </>
  );
}
