/** The custody log as a bank statement: each movement, its requester and its outcome. */
import { usePages } from '../../../data/use-pages.ts';
import { Amount, type Column, DataTable, Empty, Hash, Loaded, Time } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { MorePages } from '../../shared/more-pages.tsx';
import { actionWords, actorWords, type LogEntry, movementWords } from './wallet-words.ts';

/** Polls, because this page gets no events of movements. */
const LOOK_AGAIN_MS = 3_000;

const columns: readonly Column<LogEntry>[] = [
  { head: 'When', cell: ({ at }) => <Time at={at} style="list" />, fold: 'time' },
  { head: 'What', cell: (entry) => <What entry={entry} />, fold: 'what' },
  { head: 'By', cell: ({ by }) => actorWords[by], fold: 'hide' },
  { head: 'State', cell: ({ movement }) => (movement === null ? '' : movementWords[movement.status]), fold: 'state' },
  {
    head: 'Transaction',
    cell: ({ movement }) =>
      movement?.tx_hash == null ? (
        <span className="meta">none</span>
      ) : (
        <Hash value={movement.tx_hash} href={movement.explorer_url} what="transaction" />
      ),
    fold: 'hide',
  },
  { head: 'Amount', cell: ({ movement }) => <Moved movement={movement} />, number: true, fold: 'amount' },
];

function What({ entry: { action, address, movement } }: { readonly entry: LogEntry }) {
  return (
    <>
      {actionWords[action]} {address === null ? null : <Hash value={address} what="address" />}
      {movement?.reason == null ? null : <span className="meta"> {movement.reason}</span>}
    </>
  );
}

function Moved({ movement }: { readonly movement: LogEntry['movement'] }) {
  if (movement === null) return null;
  return movement.amount_usd === null ? <>{movement.amount} coins</> : <Amount usd={movement.amount_usd} />;
}

const isMoving = ({ movement }: LogEntry): boolean => movement?.status === 'pending' || movement?.status === 'sent';

export function WalletLog({ agent }: { readonly agent: OwnedAgent }) {
  const list = usePages(
    'wallets.log',
    { id: agent.slug, limit: 20 },
    { everyMs: (pages) => (pages.some(({ data }) => data.some(isMoving)) ? LOOK_AGAIN_MS : undefined) },
  );
  return (
    <section aria-labelledby="wallet-log">
      <div className="heading">
        <h2 id="wallet-log">Statement</h2>
        <span className="meta">Everything done with this wallet. Nobody can change it.</span>
      </div>
      <Loaded answer={list} what="The statement">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length === 0) return <Empty>Nothing left this wallet yet.</Empty>;
          return (
            <>
              <DataTable caption="Custody log, newest first" columns={columns} rows={rows} keyOf={({ id }) => id} />
              <MorePages list={list} shown={rows.length} what="entries" />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
