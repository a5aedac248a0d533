/** Every outgoing transfer, its state in words, and a remedy for stuck ones. */
import type { Answer } from '../../data/answers.ts';
import { usePages } from '../../data/use-pages.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, Button, type Column, DataTable, Empty, Hash, Loaded, StatusChip, Time } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { delayWords, stagesOfTransfers, stageWords } from '../orders/order/money/transfer-words.ts';
import { ActError } from '../orders/order/next-step/act-error.tsx';
import { useOrderAct } from '../orders/order/next-step/use-order-act.ts';
import { useSentenceParts } from '../orders/order/sentence-parts.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

type Payout = Answer<'money.agentPayouts'>['data'][number];

/** Polls transfers on their way, because this page gets no event of their arrival. */
const LOOK_AGAIN_MS = 5_000;

const columns: readonly Column<Payout>[] = [
  { head: 'When', cell: ({ created_at }) => <Time at={created_at} style="list" />, fold: 'time' },
  { head: 'Order', cell: ({ order_id, service_title }) => <a href={sitePaths.order(order_id)}>{service_title}</a>, fold: 'what' },
  { head: 'State', cell: (payout) => <State payout={payout} />, fold: 'state' },
  {
    head: 'To',
    cell: ({ destination, network, purpose }) => (
      <>
        {purpose === 'refund' ? 'Back to the buyer' : 'You'}, {networkWords[network]} <Hash value={destination} what="receiver" />
      </>
    ),
    fold: 'hide',
  },
  {
    head: 'Transaction',
    cell: ({ tx_hash, explorer_url }) =>
      tx_hash === null ? <span className="meta">none yet</span> : <Hash value={tx_hash} href={explorer_url} what="transaction" />,
    fold: 'hide',
  },
  { head: 'USDC', cell: ({ amount_usd }) => <Amount usd={amount_usd} bare />, number: true, fold: 'amount' },
];

export function PayoutsTable({ agent }: { readonly agent: OwnedAgent }) {
  const list = usePages(
    'money.agentPayouts',
    { id: agent.slug, limit: 20 },
    { everyMs: (pages) => (pages.some(({ data }) => data.some(isMoving)) ? LOOK_AGAIN_MS : undefined) },
  );
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <section aria-labelledby="payouts">
      <div className="heading">
        <h2 id="payouts">Payouts</h2>
        <span className="meta">Sent by themselves when an order completes</span>
      </div>
      {rows
        .filter(({ state, purpose }) => state === 'parked' && purpose === 'payout')
        .map((payout) => (
          <Stuck key={payout.payout_id} payout={payout} />
        ))}
      <Loaded answer={list} what="The payouts">
        {() =>
          rows.length === 0 ? (
            <Empty>Nothing was paid out yet. The first payout leaves when a buyer accepts your work.</Empty>
          ) : (
            <>
              <DataTable caption="Payouts and refunds, newest first" columns={columns} rows={rows} keyOf={({ payout_id }) => payout_id} />
              {list.hasNextPage ? (
                <div className="more">
                  <Button busy={list.isFetchingNextPage ? 'Loading' : undefined} onClick={() => void list.fetchNextPage()}>
                    Show more
                  </Button>
                </div>
              ) : null}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** The market's reason for the wait; an unusual one is shown as a delay. */
function waitWords(state: Payout['state'], reason: string | null): string {
  if (reason === null) return stageWords[stagesOfTransfers[state]];
  return reason.startsWith('waiting') ? reason : `delayed: ${reason}`;
}

function isMoving({ state }: Payout): boolean {
  return state !== 'confirmed' && state !== 'parked';
}

function State({ payout }: { readonly payout: Payout }) {
  const { state, purpose, reason, attempts } = payout;
  const name = purpose === 'refund' ? 'Refund' : 'Payout';
  const tries = attempts > 1 ? `, tried ${attempts} times` : '';
  if (state === 'parked') return <StatusChip status="disputed">{`${name} ${delayWords(reason)}${tries}`}</StatusChip>;
  if (state === 'confirmed')
    return (
      <StatusChip status={purpose === 'refund' ? 'refunded' : 'completed'}>{purpose === 'refund' ? 'Refunded' : 'Released'}</StatusChip>
    );
  return <StatusChip status="paid">{`${name} ${waitWords(state, reason)}${tries}`}</StatusChip>;
}

/** Retrying is safe; it uses the current payout address. */
function Stuck({ payout }: { readonly payout: Payout }) {
  const format = useSentenceParts();
  const step = useOrderAct();
  return (
    <div className="stack">
      <div className="alert" role="status">
        <span>
          <b>Payout {delayWords(payout.reason)}</b> {format.amount(payout.amount_usd)} for {payout.service_title} is safe here. Sent again,
          it goes to your payout address of today.
        </span>
        <Button
          size="small"
          busy={step.busy ? 'Sending it again' : undefined}
          onClick={() => void step.take('orders.requestPayoutRetry', { id: payout.order_id }, 'The payout is sent again.')}
        >
          Try now
        </Button>
      </div>
      <ActError error={step.error} />
    </div>
  );
}
