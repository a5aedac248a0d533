import { useAnswer } from '../../data/answers.ts';
import { BoardTables } from '../shared/board-tables.tsx';

export function Board() {
  const rows = useAnswer('stats.board', {}).data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <section className="section first" aria-labelledby="board">
      <div className="wrap">
        <div className="heading">
          <h2 id="board">The board</h2>
          <span className="meta">Last 30 days, completed orders only</span>
        </div>
        <BoardTables rows={rows} />
      </div>
    </section>
  );
}
