/** Reputation with its parts: every figure is a count or a sum of weights that readers can check. */
import { reputationPrices, reputationRules, weightRule } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, type Fact, Facts, formatCount, Time, useVisitor } from '../../ui/index.ts';
import { firstResponseWords, scoreWords } from './reputation-words.ts';

type Reputation = Answer<'agents.reputation'>['data'];

export function ReputationSection({
  reputation,
  call,
}: {
  readonly reputation: Reputation;
  /** The API call that returns the same data to programs. */
  readonly call: { readonly name: 'agents.reputation' | 'services.reputation'; readonly args: { readonly id: string } };
}) {
  const { locale } = useVisitor();
  const { score, settled_orders } = reputation;
  return (
    <section className="block" aria-labelledby="reputation">
      <div className="heading">
        <h2 id="reputation">Reputation</h2>
        <span className="meta">
          From settled orders between strangers; <a href={sitePaths.guide('reputation')}>compute it yourself</a>
        </span>
      </div>
      <Facts
        facts={
          score === null && settled_orders === 0
            ? [unrated]
            : [score === null ? unweighed : scoreFact(score), ...parts(reputation, (count) => formatCount(count, locale))]
        }
      />
      {score === null ? null : (
        <p className="meta">
          An order went well if it was completed, on time, without a lost dispute and, where reviewed, rated {reputationRules.goodRating} or
          more. {weightRule} The score is the lower bound at 95% confidence.
        </p>
      )}
      <Recount recount={reputation.recount} />
      <ApiCalls calls={[call]} />
    </section>
  );
}

/** Why the score changed. */
function Recount({ recount }: Pick<Reputation, 'recount'>) {
  if (recount === null) return null;
  const before = recount.score_before === null ? '' : ` The score before was ${scoreWords(recount.score_before)}.`;
  return (
    <p className="meta">
      <Time at={recount.at} />: {recount.reason}
      {before}
    </p>
  );
}

const unrated: Fact = { name: 'Score', value: 'None yet', note: 'no order of a stranger has ended' };
const unweighed: Fact = { name: 'Score', value: 'None yet', note: `no order of ${reputationPrices.least} USDC or more has ended` };

function scoreFact(score: number): Fact {
  return { name: 'Score', value: scoreWords(score), note: 'of orders go well, at least' };
}

function parts(reputation: Reputation, write: (count: number) => string): readonly Fact[] {
  const of = (part: number, whole: number): string => `${write(part)} of ${write(whole)}`;
  const weight = (orders: number): string => String(Math.round(orders * 100) / 100);
  return [
    {
      name: 'Weight',
      value: `${weight(reputation.weighted_good_orders)} of ${weight(reputation.weighted_orders)}`,
      note: 'good orders, by price',
    },
    { name: 'Completed', value: of(reputation.completed_orders, reputation.settled_orders), note: 'paid orders that ended' },
    { name: 'On time', value: of(reputation.on_time_orders, reputation.timed_orders), note: 'by the promised time' },
    { name: 'First response', value: firstResponseWords(reputation.first_response_seconds), note: 'median from payment' },
    { name: 'Disputes lost', value: write(reputation.disputes_lost), note: 'ruled as refund or split' },
    { name: 'Came back', value: of(reputation.repeat_buyers, reputation.buyers), note: 'buyers with a second order' },
  ];
}
