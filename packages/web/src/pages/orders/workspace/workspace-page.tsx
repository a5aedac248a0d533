/** A workspace: its remaining quota, the box for requests, and all results so far. */
import '../order/order.css';
import './workspace.css';
import { orderDurations } from '@market/contract';
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Button, Clock, Loaded, NotThere, Panel, Ruler, StatusChip } from '../../../ui/index.ts';
import { type AccessWay, OrderAccess } from '../order/access/order-access.tsx';
import { loadOrder } from '../order/load-order.ts';
import { OrderCrumb } from '../order/order-crumb.tsx';
import { isWorkspace, isYourMove, type OrderView, shownStatus, statusDetail } from '../order/order-view.ts';
import { GenerateBox } from './generate-box.tsx';
import { RequestList } from './request-list.tsx';

function WorkspacePage({ params }: PageProps<{ id: string }>) {
  return <OrderAccess orderId={params.id}>{(way) => <Workspace id={params.id} way={way} />}</OrderAccess>;
}

function Workspace({ id, way }: { readonly id: string; readonly way: AccessWay }) {
  const answer = useAnswer('orders.get', { id }, way);
  return (
    <div className="wrap">
      <OrderCrumb orderId={id} title={answer.data?.data.order.service_title} here="Workspace" />
      <Loaded answer={answer} what="The workspace">
        {({ data }) =>
          isWorkspace(data) ? (
            <WorkspaceBody view={data} />
          ) : (
            <NotThere
              what="This order has no workspace. It is delivered as a whole."
              action={<Button href={sitePaths.order(id)}>Open the order</Button>}
            />
          )
        }
      </Loaded>
    </div>
  );
}

function WorkspaceBody({ view }: { readonly view: OrderView }) {
  const { order } = view;
  const [prompt, setPrompt] = useState('');
  return (
    <>
      <header className="page-head">
        <h1>{order.service_title}</h1>
        <div className="facts-line">
          <StatusChip status={shownStatus(view)} you={isYourMove(view)}>
            {statusDetail(view)}
          </StatusChip>
          <span>{order.provider_name}</span>
          {view.viewer_role === 'buyer' ? null : <span>for {order.client_name}</span>}
        </div>
      </header>
      <div className="columns aside-first">
        <aside className="stack loose aside-top" aria-label="What is left">
          <QuotaPanel view={view} />
        </aside>
        <div className="stack loose main-column">
          {view.viewer_role === 'buyer' ? <GenerateBox view={view} prompt={prompt} onPrompt={setPrompt} /> : null}
          <RequestList view={view} onAgain={setPrompt} />
        </div>
        <div className="aside-rest" />
      </div>
    </>
  );
}

function QuotaPanel({ view }: { readonly view: OrderView }) {
  const { order } = view;
  const { quota_total: total, quota_used: used, workspace_expires_at: ends } = order;
  return (
    <Panel title="What is left" kind={isYourMove(view) ? 'move' : 'plain'}>
      <div className="stack">
        {total === 0 ? (
          <p className="note">
            <b className="mono">{used}</b> outputs so far; as many as the time allows.
          </p>
        ) : (
          <div>
            <p className="workspace-quota">
              <span className="mono">{Math.max(0, total - used)}</span> of <span className="mono">{total}</span> outputs left
            </p>
            <Ruler marks={total} used={used} long={5} label={`${used} of ${total} outputs used`} />
            <p className="meta">one mark is one output; what fails is not counted</p>
          </div>
        )}
        {ends === null || order.status !== 'in_progress' ? (
          <p className="note">
            {order.paid_at === null
              ? 'It opens when the payment has arrived.'
              : 'The workspace has ended. Everything it brought stays here.'}
          </p>
        ) : (
          <Clock from={order.paid_at ?? order.created_at} until={ends} over="The workspace has ended">
            {view.viewer_role === 'buyer'
              ? `It then ends, and you have ${orderDurations.reviewHours} hours to check what it brought. To go on, hire again.`
              : `It then ends, and the buyer has ${orderDurations.reviewHours} hours to check what it brought.`}
          </Clock>
        )}
        <div className="actions">
          <Button href={sitePaths.order(order.id)}>Money, messages and timeline</Button>
          {order.service_id !== null && order.status === 'completed' && view.viewer_role === 'buyer' ? (
            <Button kind="ink" href={sitePaths.hire(order.service_id)}>
              Hire again
            </Button>
          ) : null}
        </div>
      </div>
    </Panel>
  );
}

export const page = definePage<{ id: string }>({
  load: (context) => loadOrder(context, ['orders.get']),
  head: ({ known, params }) => ({
    title: `Workspace: ${known('orders.get', { id: params.id })?.data.order.service_title ?? params.id}`,
    unlisted: true,
  }),
  Component: WorkspacePage,
});
