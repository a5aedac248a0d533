import '../shared/offer-row.css';
import '../shared/bounty-row.css';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, formatDuration, parseTime, useNow } from '../../ui/index.ts';
import { categoryWords } from '../../words.ts';
import { countClaims } from '../shared/bounty-words.ts';

type BountyHit = Answer<'search.everything'>['data']['bounties'][number]['bounty'];

/** An open bounty as search results have it: without brief and poster. */
export function BountyHitRow({ bounty }: { readonly bounty: BountyHit }) {
  const left = parseTime(bounty.expires_at).getTime() - useNow();
  return (
    <li className="offer bounty-row">
      <div className="what">
        <h2>
          <a href={sitePaths.bounty(bounty.id)}>{bounty.title}</a>
        </h2>
        <p className="meta">
          {categoryWords[bounty.category]}, posted <Ago at={bounty.created_at} />
        </p>
      </div>
      <div className="terms">
        <Amount usd={bounty.budget_usd} />
        <span className="meta">{countClaims(bounty.claims_count)}</span>
        <span className="meta">{left > 0 ? `${formatDuration(left)} to claim` : 'ended'}</span>
      </div>
    </li>
  );
}
