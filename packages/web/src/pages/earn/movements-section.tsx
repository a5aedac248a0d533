/** Deposits and withdrawals, newest first, each with its state in a sentence; those under way are expanded at the top. */
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { Amount, Button, type Column, DataTable, Empty, Loaded, Panel, Time } from '../../ui/index.ts';
import { MorePages } from '../shared/more-pages.tsx';
import { centsOf, findVault, isMoving, type Movement } from './earn-words.ts';
import { MovementState } from './movement-state.tsx';

/** Polls, because movements under way change without an event on this page, and deposits out of an agent's wallet may start at any time. */
const LOOK_AGAIN_MS = 3_000;
const LOOK_LATER_MS = 8_000;
const PAGE_SIZE = 20;

export function MovementsSection({ agentId }: { readonly agentId?: string }) {
  const list = usePages(
    'earn.movements',
    { limit: PAGE_SIZE },
    { everyMs: (pages) => (pages.some(({ data }) => data.some(isMoving)) ? LOOK_AGAIN_MS : LOOK_LATER_MS) },
  );
  return (
    <Loaded answer={list} what="The movements">
      {({ pages }) => {
        const all = pages.flatMap(({ data }) => data);
        const rows = agentId === undefined ? all : all.filter(({ agent_id }) => agent_id === agentId);
        return (
          <>
            <UnderWay movements={rows.filter((row) => isMoving(row) || row.status === 'held')} />
            <section aria-labelledby="movements">
              <div className="heading">
                <h2 id="movements">Everything that moved</h2>
                <span className="meta">Newest first</span>
              </div>
              {rows.length === 0 ? <Empty>Nothing has moved yet.</Empty> : <Movements rows={rows} />}
              {rows.length === 0 && !list.hasNextPage ? null : <MorePages list={list} shown={all.length} what="movements" onlyIfMore />}
            </section>
          </>
        );
      }}
    </Loaded>
  );
}

function UnderWay({ movements }: { readonly movements: readonly Movement[] }) {
  const markets = useAnswer('earn.markets', {}, { enabled: movements.length > 0 }).data?.data;
  if (movements.length === 0) return null;
  return (
    <section className="stack" aria-label="Under way">
      <h2>Under way</h2>
      <div className="under-way">
        {movements.map((movement) => {
          const waiting = markets === undefined ? undefined : findVault(markets, movement.key)?.vault.queue.waiting;
          return (
            <Panel key={movement.id} level={3} title={titleOf(movement)} aside={<Time at={movement.created_at} style="list" />}>
              <MovementState movement={movement} waiting={waiting} />
            </Panel>
          );
        })}
      </div>
    </section>
  );
}

function titleOf({ kind, label, owned_by, agent_id }: Movement): string {
  const what = kind === 'deposit' ? `Deposit into ${label}` : `Withdrawal from ${label}`;
  return agent_id === null ? what : `${what}, ${owned_by}`;
}

function Movements({ rows }: { readonly rows: readonly Movement[] }) {
  const [open, setOpen] = useState<string>();
  const columns: readonly Column<Movement>[] = [
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} style="list" />, fold: 'time' },
    { head: 'What', cell: titleOf, fold: 'what' },
    { head: 'Where the money is', cell: ({ state_text }) => state_text, fold: 'state' },
    { head: 'Amount, USDC', cell: (movement) => <Moved movement={movement} />, number: true, fold: 'amount' },
    {
      head: 'Detail',
      cell: (movement) => (
        <span className="earn-action">
          <Button size="small" onClick={() => setOpen(open === movement.id ? undefined : movement.id)}>
            {open === movement.id ? 'Close' : 'Open'} <span className="visually-hidden">{titleOf(movement)}</span>
          </Button>
        </span>
      ),
      fold: 'act',
    },
  ];
  return (
    <DataTable
      caption="Deposits and withdrawals, newest first"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      detail={(movement) => (open === movement.id ? <MovementState movement={movement} /> : null)}
    />
  );
}

/** The amount that the venue paid for a withdrawal; before the payment, an estimate. */
function Moved({ movement: { amount_usd, value_micro_estimate } }: { readonly movement: Movement }) {
  if (amount_usd !== null && Number(amount_usd) > 0) return <Amount usd={amount_usd} bare />;
  return value_micro_estimate === null ? null : <>about {centsOf(value_micro_estimate)}</>;
}
