import './order.css';
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import {
  Avatar,
  Button,
  formatDuration,
  Hash,
  Loaded,
  MoneyLine,
  parseTime,
  Skeleton,
  StatusChip,
  Time,
  useNow,
} from '../../../ui/index.ts';
import { type AccessWay, OrderAccess } from './access/order-access.tsx';
import { BriefPanel } from './brief/brief-panel.tsx';
import { OfferPanel } from './brief/offer-panel.tsx';
import { DeliverablesPanel, DeliverPanel } from './delivery/deliverables-panel.tsx';
import { loadOrder } from './load-order.ts';
import { moneyLine } from './money/money-words.ts';
import { OrderMoney } from './money/order-money.tsx';
import { PaySlot } from './money/pay-slot.tsx';
import { useFollowTransfers } from './money/use-follow-transfers.ts';
import { MovePanel, primaryAct } from './next-step/move-panel.tsx';
import { type PlainAct, wordsOfAct } from './next-step/order-acts.ts';
import { isAllowed, isWorkspace, isYourMove, mustAgree, type OrderView, shownStatus, statusDetail } from './order-view.ts';
import { useSentenceParts } from './sentence-parts.ts';
import { MessagesPanel } from './timeline/messages-panel.tsx';
import { ReviewPanel } from './timeline/review-panel.tsx';
import { TimelinePanel } from './timeline/timeline-panel.tsx';
import { useMarkOrderRead } from './timeline/use-mark-order-read.ts';

function OrderPage({ params }: PageProps<{ id: string }>) {
  return <OrderAccess orderId={params.id}>{(way) => <Order id={params.id} way={way} />}</OrderAccess>;
}

function Order({ id, way }: { readonly id: string; readonly way: AccessWay }) {
  const answer = useAnswer('orders.get', { id }, way);
  const [asked, setAsked] = useState<PlainAct>();
  useMarkOrderRead(answer.data?.data.order);
  useFollowTransfers(answer.data?.data);
  return (
    <>
      <div className="wrap">
        <nav className="breadcrumb" aria-label="Breadcrumb">
          <ol>
            <li>
              <a href={sitePaths.orders}>Orders</a>
            </li>
            <li>{answer.data?.data.order.service_title ?? <span className="mono">{id}</span>}</li>
          </ol>
        </nav>
        <Loaded answer={answer} what="The order" skeleton={<OrderSkeleton />}>
          {({ data }) => <OrderBody view={data} asked={asked} onAsk={setAsked} />}
        </Loaded>
      </div>
      {answer.data === undefined ? null : <PhoneBar view={answer.data.data} onAsk={setAsked} />}
    </>
  );
}

interface OrderBodyProps {
  readonly view: OrderView;
  readonly asked: PlainAct | undefined;
  readonly onAsk: (act: PlainAct | undefined) => void;
}

function OrderBody({ view, asked, onAsk }: OrderBodyProps) {
  const format = useSentenceParts();
  const isSeller = view.viewer_role === 'seller';
  const payable = view.viewer_role === 'buyer' && isAllowed(view, 'pay');
  return (
    <>
      <OrderHead view={view} />
      <MoneyLine {...moneyLine(view, format)} yours={isYourMove(view)} />
      <div className="columns aside-first">
        <aside className="stack loose aside-top" aria-label="What you can do now">
          <MovePanel view={view} asked={asked} onAsk={onAsk} />
        </aside>
        <div className="stack loose main-column">
          {/* The provider reads the brief first. */}
          {isSeller ? <BriefPanel view={view} /> : null}
          {payable || mustAgree(view) ? <OfferPanel view={view} onAsk={onAsk} /> : null}
          {payable ? <PaySlot view={view} /> : null}
          <ReviewPanel view={view} />
          <DeliverPanel view={view} />
          <DeliverablesPanel view={view} />
          <MessagesPanel view={view} />
          {isSeller ? null : <BriefPanel view={view} />}
        </div>
        <aside className="stack loose aside-rest" aria-label="Money and timeline">
          {/* The pay panel shows the same amount. */}
          {payable ? null : <OrderMoney view={view} />}
          <TimelinePanel view={view} />
        </aside>
      </div>
    </>
  );
}

function OrderHead({ view }: { readonly view: OrderView }) {
  const { order, viewer_role } = view;
  const showsRevisions = order.paid_at !== null && !isWorkspace(view);
  return (
    <header className="page-head">
      <h1>{order.service_title}</h1>
      <div className="facts-line">
        <StatusChip status={shownStatus(view)} you={isYourMove(view)}>
          {statusDetail(view)}
        </StatusChip>
        <span className="order-who">
          <Avatar id={order.provider_agent_id} size={20} /> <a href={sitePaths.agent(order.provider_slug)}>{order.provider_name}</a>
        </span>
        {viewer_role === 'buyer' ? null : <span>for {order.client_name}</span>}
        {order.bounty_id === null ? null : (
          <span>
            From <a href={sitePaths.bounty(order.bounty_id)}>{viewer_role === 'buyer' ? 'your bounty' : 'a bounty'}</a>
          </span>
        )}
        {viewer_role === 'admin' ? <b>You see this as an operator</b> : null}
        <span>
          Ordered <Time at={order.created_at} style="list" />
        </span>
        {showsRevisions ? (
          <span>
            Revision <span className="mono">{order.revision_count}</span> of <span className="mono">{order.max_revisions}</span> used
          </span>
        ) : null}
        {order.client_type === 'agent_x402' && order.payer_address !== null && viewer_role !== 'buyer' ? (
          <span>
            Hired by machine, <Hash value={order.payer_address} what="payer’s address" />
          </span>
        ) : null}
      </div>
    </header>
  );
}

/** The next action, fixed at the bottom of a phone's screen. */
function PhoneBar({ view, onAsk }: Pick<OrderBodyProps, 'view' | 'onAsk'>) {
  const format = useSentenceParts();
  const now = useNow();
  if (!isYourMove(view)) return null;
  const act = primaryAct(view);
  const left = view.clock === null ? undefined : Math.max(0, parseTime(view.clock.at).getTime() - now);
  return (
    <div className="sticky">
      {left === undefined ? null : (
        <span className="mono">
          {formatDuration(left)}
          <br />
          <span className="subtle">left</span>
        </span>
      )}
      {act === undefined ? (
        <JumpButton view={view} />
      ) : (
        <Button kind="primary" onClick={() => onAsk(act)}>
          {wordsOfAct(act, view, format).short}
        </Button>
      )}
    </div>
  );
}

function JumpButton({ view }: { readonly view: OrderView }) {
  const format = useSentenceParts();
  if (isAllowed(view, 'pay'))
    return (
      <Button kind="primary" href="#pay">
        {`Pay ${format.amount(view.money.price_usd)}`}
      </Button>
    );
  if (isAllowed(view, 'quote'))
    return (
      <Button kind="primary" href="#act">
        Name a price
      </Button>
    );
  if (isAllowed(view, 'deliver'))
    return (
      <Button kind="primary" href="#deliver">
        Deliver the work
      </Button>
    );
  if (view.viewer_role === 'admin')
    return (
      <Button kind="primary" href={sitePaths.ruling(view.order.id)}>
        Rule this dispute
      </Button>
    );
  return isWorkspace(view) ? (
    <Button kind="primary" href={sitePaths.workspace(view.order.id)}>
      Open the workspace
    </Button>
  ) : null;
}

function OrderSkeleton() {
  return (
    <>
      <div className="page-head">
        <Skeleton lines={2} label="The order: loading" />
      </div>
      <div className="columns aside-first">
        <div className="aside-top">
          <Skeleton lines={6} />
        </div>
        <div className="main-column">
          <Skeleton lines={9} />
        </div>
        <div className="aside-rest">
          <Skeleton lines={6} />
        </div>
      </div>
    </>
  );
}

export const page = definePage<{ id: string }>({
  load: (context) => loadOrder(context, ['orders.get']),
  head: ({ known, params }) => ({
    title: known('orders.get', { id: params.id })?.data.order.service_title ?? 'Order',
    unlisted: true,
  }),
  Component: OrderPage,
});
