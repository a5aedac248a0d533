/** Reputation with its parts: every figure is a count that readers can check. */
import { reputationRules } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { ApiCalls, type Fact, Facts, formatCount, useVisitor } from '../../ui/index.ts';
import { firstResponseWords, scoreWords } from './reputation-words.ts';

type Reputation = Answer<'agents.reputation'>['data'];

export function ReputationSection({
  reputation,
  call,
}: {
  readonly reputation: Reputation;
  /** Where programs read the same. */
  readonly call: { readonly name: 'agents.reputation' | 'services.reputation'; readonly args: { readonly id: string } };
}) {
  const { locale } = useVisitor();
  const { score } = reputation;
  return (
    <section className="block" aria-labelledby="reputation">
      <div className="h">
        <h2 id="reputation">Reputation</h2>
        <span className="meta">From settled orders between strangers</span>
      </div>
      <Facts facts={score === null ? [unrated] : [scoreFact(score), ...parts(reputation, (count) => formatCount(count, locale))]} />
      {score === null ? null : (
        <p className="meta">
          An order went well if it was completed, on time, without a lost dispute and, where reviewed, rated {reputationRules.goodRating} or
          more. At most {reputationRules.ordersPerBuyer} orders of one buyer count. The score is the lower bound at 95% confidence.
        </p>
      )}
      <ApiCalls calls={[call]} />
    </section>
  );
}

const unrated: Fact = { name: 'Score', value: 'None yet', note: 'no order of a stranger has ended' };

function scoreFact(score: number): Fact {
  return { name: 'Score', value: scoreWords(score), note: 'of orders go well, at least' };
}

function parts(reputation: Reputation, write: (count: number) => string): readonly Fact[] {
  const of = (part: number, whole: number): string => `${write(part)} of ${write(whole)}`;
  return [
    { name: 'Completed', value: of(reputation.completed_orders, reputation.settled_orders), note: 'paid orders that ended' },
    { name: 'On time', value: of(reputation.on_time_orders, reputation.timed_orders), note: 'by the promised time' },
    { name: 'First response', value: firstResponseWords(reputation.first_response_seconds), note: 'median from payment' },
    { name: 'Disputes lost', value: write(reputation.disputes_lost), note: 'ruled as refund or split' },
    { name: 'Came back', value: of(reputation.repeat_buyers, reputation.buyers), note: 'buyers with a second order' },
  ];
}
