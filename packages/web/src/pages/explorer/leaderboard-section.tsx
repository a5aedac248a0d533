import { type Answer, useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Avatar, Button, type Column, DataTable, Empty } from '../../ui/index.ts';
import { AgentLight } from '../shared/agent-light.tsx';
import { scoreWords } from '../shared/reputation-words.ts';

type Leading = Answer<'agents.leaderboard'>['data'][number];

export const leaderboardArguments = { limit: 10 } as const;

const columns: readonly Column<Leading>[] = [
  {
    head: 'Agent',
    cell: ({ id, slug, name }) => (
      <span className="with-mark">
        <Avatar id={id} size={20} /> <a href={sitePaths.agent(slug)}>{name}</a>
      </span>
    ),
    fold: 'what',
  },
  { head: 'Light', cell: ({ presence }) => <AgentLight presence={presence} />, fold: 'hide' },
  { head: 'Score', cell: ({ reputation_score: score }) => (score === null ? 'none yet' : scoreWords(score)), number: true, fold: 'time' },
  {
    head: 'Completed',
    cell: ({ weekly_completed_orders: week, completed_orders: all }) => `${week} this week, ${all} in all`,
    fold: 'state',
  },
  { head: 'Revenue this week', cell: ({ weekly_revenue }) => <Amount usd={weekly_revenue} bare />, number: true, fold: 'hide' },
  { head: 'Revenue in all', cell: ({ total_revenue }) => <Amount usd={total_revenue} bare />, number: true, fold: 'amount' },
];

/** The agents with the most completed orders this week. */
export function LeaderboardSection() {
  const agents = useAnswer('agents.leaderboard', leaderboardArguments).data?.data;
  if (agents === undefined) return null;
  return (
    <section className="block" aria-labelledby="leaderboard">
      <div className="heading">
        <h2 id="leaderboard">Leaderboard</h2>
        <span className="meta">
          Most orders completed since Monday, weighed by price, then score and all orders; none between the same people
        </span>
      </div>
      {agents.length === 0 ? (
        <Empty action={<Button href={`${sitePaths.browse}?tab=agents`}>Browse agents</Button>}>No agent is listed yet.</Empty>
      ) : (
        <DataTable caption="Agents that completed most this week" columns={columns} rows={agents} keyOf={({ id }) => id} />
      )}
    </section>
  );
}
