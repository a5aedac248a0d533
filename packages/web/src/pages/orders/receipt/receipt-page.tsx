/** A receipt to keep: buyer, seller, service, time, amounts, and the transfers that prove them. */
import './receipt.css';
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { useFacts } from '../../../data/site-facts.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Amount, Button, Empty, Hash, Loaded, Skeleton, StatusChip, Sum, Time } from '../../../ui/index.ts';
import { feeWords, networkWords } from '../../../words.ts';
import { type AccessWay, OrderAccess } from '../order/access/order-access.tsx';
import { loadOrder } from '../order/load-order.ts';
import { moneyRows, unitOf } from '../order/money/money-words.ts';
import { useFollowTransfers } from '../order/money/use-follow-transfers.ts';
import { type OrderView, shownStatus, statusDetail } from '../order/order-view.ts';
import { Books } from './books.tsx';
import { receiptTransfers } from './receipt-transfers.ts';

function ReceiptPage({ params }: PageProps<{ id: string }>) {
  return <OrderAccess orderId={params.id}>{(way) => <Receipt id={params.id} way={way} />}</OrderAccess>;
}

function Receipt({ id, way }: { readonly id: string; readonly way: AccessWay }) {
  const answer = useAnswer('orders.get', { id }, way);
  useFollowTransfers(answer.data?.data);
  return (
    <div className="wrap receipt">
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <ol>
          <li>
            <a href={sitePaths.orders}>Orders</a>
          </li>
          <li>
            <a href={sitePaths.order(id)}>{answer.data?.data.order.service_title ?? 'Order'}</a>
          </li>
          <li>Receipt</li>
        </ol>
      </nav>
      <Loaded answer={answer} what="The receipt" skeleton={<Skeleton lines={12} />}>
        {({ data }) =>
          data.order.paid_at === null ? (
            <Empty action={<Button href={sitePaths.order(id)}>Back to the order</Button>}>
              There is no receipt yet: nothing was paid for this order.
            </Empty>
          ) : (
            <Paid view={data} />
          )
        }
      </Loaded>
    </div>
  );
}

function Paid({ view }: { readonly view: OrderView }) {
  const { serviceName, appUrl } = useFacts();
  const { order } = view;
  const [books, setBooks] = useState(false);
  return (
    <>
      <header className="page-head">
        <h1>Receipt</h1>
        <div className="facts-line">
          <StatusChip status={shownStatus(view)}>{statusDetail(view)}</StatusChip>
          <span>
            {serviceName}, {new URL(appUrl).host}
          </span>
        </div>
      </header>
      <Facts view={view} />
      <section aria-labelledby="sum">
        <h2 id="sum">What was paid, and where it went</h2>
        <Sum
          lines={moneyRows(view, feeWords(serviceName, 'To')).map(({ label, usd, kind }) => ({
            label,
            value: kind === 'total' ? <Amount usd={usd} /> : <Amount usd={usd} bare />,
            ...(kind !== undefined && { kind }),
          }))}
        />
      </section>
      <Transfers view={view} />
      <p className="note">USDC is counted one to one with the US dollar. Amounts are exact to a millionth.</p>
      <div className="actions hide-print">
        <Button kind="ink" onClick={() => window.print()}>
          Print or save as PDF
        </Button>
        <Button onClick={() => setBooks(!books)}>{books ? 'Hide the books' : 'Show the books'}</Button>
      </div>
      {books ? <Books orderId={order.id} /> : null}
    </>
  );
}

function Facts({ view: { order, money } }: { readonly view: OrderView }) {
  const dates: readonly (readonly [string, string | null])[] = [
    ['Ordered', order.created_at],
    ['Paid', order.paid_at],
    ['Delivered', order.delivered_at],
    ['Completed', order.completed_at],
    ['Cancelled', order.cancelled_at],
  ];
  return (
    <dl className="parties">
      <Fact name="Order">
        <span className="mono">{order.id}</span>
      </Fact>
      <Fact name={order.kind === 'bounty' ? 'Bounty' : 'Service'}>{order.service_title}</Fact>
      <Fact name="Bought by">
        {isShortWallet(order) ? null : order.client_name}
        {order.client_wallet === null ? null : <Hash value={order.client_wallet} what="buyer’s wallet" />}
      </Fact>
      <Fact name="Sold by">
        <a href={sitePaths.agent(order.provider_slug)}>{order.provider_name}</a>
      </Fact>
      <Fact name="Paid in">{unitOf(money)}</Fact>
      {dates.map(([name, at]) =>
        at === null ? null : (
          <Fact key={name} name={name}>
            <Time at={at} style="receipt" />
          </Fact>
        ),
      )}
    </dl>
  );
}

/** Without a chosen name the API returns the ends of the wallet, which the receipt shows anyway. */
function isShortWallet({ client_name, client_wallet }: OrderView['order']): boolean {
  return client_wallet !== null && client_name === `${client_wallet.slice(0, 4)}...${client_wallet.slice(-4)}`;
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Transfers({ view }: { readonly view: OrderView }) {
  return (
    <section aria-labelledby="transfers">
      <h2 id="transfers">Transfers</h2>
      <ol className="transfers">
        {receiptTransfers(view).map(({ name, state, usd, network, hash, href, address }) => (
          <li key={name}>
            <b>{name}</b>
            <span>{state}</span>
            <Amount usd={usd} network={network} />
            {hash === null ? (
              <span className="note">no transaction yet</span>
            ) : (
              <Hash value={hash} href={href} what={`transaction of the ${name.toLowerCase()} on ${networkWords[network]}`} />
            )}
            {address === null ? null : <Hash value={address} what={`address of the ${name.toLowerCase()}`} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

export const page = definePage<{ id: string }>({
  load: (context) => loadOrder(context, ['orders.get']),
  head: () => ({ title: 'Receipt', unlisted: true }),
  Component: ReceiptPage,
});
