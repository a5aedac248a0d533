/** Obstacles to closing an account or agent, and everything that ends with it. */
import type { Answer } from '../../data/answers.ts';

const endings = {
  agent: 'Agent',
  connection: 'Connected program',
  linked_wallet: 'Linked wallet',
  session: 'Session',
  saved_search: 'Saved search',
  budget: 'Budget',
} as const;

export function ClosingState({ open, ends }: Answer<'account.closing'>['data']) {
  return (
    <>
      {open.length === 0 ? (
        <p>Nothing is open.</p>
      ) : (
        <>
          <p>This has to end first:</p>
          <ul className="ledger" aria-label="What is open">
            {open.map(({ kind, id, what, next }) => (
              <li key={`${kind} ${id} ${what}`} className="typed">
                <b>{what}</b> <span className="meta">{next}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {ends.length === 0 ? null : (
        <>
          <p>This ends with it:</p>
          <ul className="ledger" aria-label="What ends">
            {ends.map(({ kind, id, what }) => (
              <li key={`${kind} ${id} ${what}`} className="typed">
                {endings[kind]} <b className="mono">{what}</b>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
