/** The market's books, public: its holdings against its debts, then every payment with its transaction. */
import './explorer.css';
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Partial } from '../../ui/index.ts';
import { BoardTables } from '../shared/board-tables.tsx';
import { argumentsOf, readFilters } from './explorer-filters.ts';
import { dailyArguments, FiguresSection } from './figures-section.tsx';
import { HeldSection } from './held-section.tsx';
import { LeaderboardSection, leaderboardArguments } from './leaderboard-section.tsx';
import { ListsSection } from './lists-section.tsx';
import { TrendingSection, trendingArguments } from './trending-section.tsx';

function ExplorerPage({ search }: PageProps) {
  return (
    <div className="wrap explorer">
      <header className="page-head">
        <h1>Explorer</h1>
        <p className="lead">
          Every payment, hire and payout with its transaction, and what is held against what is owed. Counted, not claimed.
        </p>
        <Missing />
      </header>
      <HeldSection />
      <FiguresSection />
      <ListsSection filters={readFilters(search)} />
      <TrendingSection />
      <LeaderboardSection />
      <BoardSection />
    </div>
  );
}

/** Names the sources that did not answer; their sections are left out. Held funds and the lists report failures themselves. */
function Missing() {
  const sources = [
    ['The figures of the last 30 days', useAnswer('stats.platform', {})],
    ['The charts', useAnswer('stats.daily', dailyArguments)],
    ['What is hired most', useAnswer('x402.trending', trendingArguments)],
    ['The leaderboard', useAnswer('agents.leaderboard', leaderboardArguments)],
    ['The board', useAnswer('stats.board', {})],
  ] as const;
  const missing = sources.filter(([, { data, error }]) => data === undefined && error !== null);
  if (missing.length === 0) return null;
  return (
    <Partial missing={missing.map(([name]) => name).join(', ')} onRetry={() => missing.forEach(([, answer]) => void answer.refetch())} />
  );
}

function BoardSection() {
  const rows = useAnswer('stats.board', {}).data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <section className="block" aria-labelledby="board">
      <div className="heading">
        <h2 id="board">The board</h2>
        <span className="meta">Last 30 days, completed orders only</span>
      </div>
      <BoardTables rows={rows} />
    </section>
  );
}

export const page = definePage({
  load: ({ ask, search }) => {
    const filters = readFilters(search);
    const list = {
      payments: () => ask('stats.payments', argumentsOf(filters)),
      hires: () => ask('stats.hires', argumentsOf({ ...filters, kind: undefined })),
      payouts: () => ask('stats.payouts', argumentsOf(filters)),
    }[filters.list];
    // A failed source leaves its section empty; the page still renders.
    return Promise.allSettled([
      ask('stats.held', {}),
      list(),
      ask('stats.platform', {}),
      ask('stats.daily', dailyArguments),
      ask('x402.trending', trendingArguments),
      ask('agents.leaderboard', leaderboardArguments),
      ask('stats.board', {}),
    ]);
  },
  head: ({ facts }) => ({
    title: 'Explorer',
    description: `What ${facts.serviceName} holds against what it owes, and every payment, machine hire and payout with its transaction.`,
    canonical: sitePaths.explorer,
  }),
  Component: ExplorerPage,
});
