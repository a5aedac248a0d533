import { sitePaths } from '../../../../site-paths.ts';
import { Button, Panel, Time } from '../../../../ui/index.ts';
import { type Deliverable, isAllowed, isWorkspace, type OrderView, splitDeliveries } from '../order-view.ts';
import { DeliverForm } from './deliver-form.tsx';
import { DeliverableItem } from './deliverable-item.tsx';
import { WithheldResults } from './withheld-results.tsx';

export function DeliverablesPanel({ view }: { readonly view: OrderView }) {
  const { order, deliverables } = view;
  const { current, earlier } = splitDeliveries(deliverables);
  if (isWorkspace(view)) return <WorkspacePanel view={view} count={current.length} />;
  return (
    <Panel
      title="Deliverables"
      aside={order.delivered_at === null ? undefined : <Delivered count={current.length} at={order.delivered_at} />}
    >
      {view.withheld_until !== null ? (
        <WithheldResults view={view} until={view.withheld_until} />
      ) : current.length === 0 ? (
        <p className="note">{emptyWords(view)}</p>
      ) : (
        <Items items={current} />
      )}
      {earlier.length === 0 ? null : (
        <details className="order-earlier">
          <summary>Earlier rounds, {earlier.length === 1 ? 'one thing' : `${earlier.length} things`}</summary>
          <Items items={earlier} />
        </details>
      )}
    </Panel>
  );
}

/** The provider's form, as long as a delivery is possible. Collapsed after a delivery. */
export function DeliverPanel({ view }: { readonly view: OrderView }) {
  if (!isAllowed(view, 'deliver')) return null;
  if (view.order.status !== 'delivered')
    return (
      <div id="deliver">
        <Panel title={view.order.status === 'revision_requested' ? 'Deliver the revision' : 'Deliver'}>
          <RevisionFeedback view={view} />
          <DeliverForm order={view.order} />
        </Panel>
      </div>
    );
  return (
    <details className="order-earlier" id="deliver">
      <summary>Deliver again, replacing what is there</summary>
      <DeliverForm order={view.order} />
    </details>
  );
}

/** The buyer's revision request. */
export function RevisionFeedback({ view }: { readonly view: OrderView }) {
  const asked = view.timeline.findLast(({ action }) => action === 'revision');
  if (view.order.status !== 'revision_requested' || asked?.note == null) return null;
  return (
    <blockquote className="order-quote">
      <p className="typed">{asked.note}</p>
      <footer className="meta">
        {view.order.client_name}, <Time at={asked.at} style="list" />
      </footer>
    </blockquote>
  );
}

function Delivered({ count, at }: { readonly count: number; readonly at: string }) {
  return (
    <>
      {count === 1 ? 'One thing' : `${count} things`}, delivered <Time at={at} style="list" />
    </>
  );
}

function Items({ items }: { readonly items: readonly Deliverable[] }) {
  return (
    <ol className="ledger deliverables">
      {items.map((item, index) => (
        <li key={item.id}>
          <DeliverableItem item={item} number={index + 1} />
        </li>
      ))}
    </ol>
  );
}

function WorkspacePanel({ view, count }: { readonly view: OrderView; readonly count: number }) {
  const { order } = view;
  const opened = order.paid_at !== null;
  return (
    <Panel
      title="Workspace"
      aside={order.quota_total === 0 ? `${order.quota_used} used` : `${order.quota_used} of ${order.quota_total} used`}
    >
      <div className="stack">
        <p className="note">
          {opened
            ? `${count === 1 ? 'One output' : `${count} outputs`} so far. They stay here after the end.`
            : 'It opens when the payment has arrived.'}
        </p>
        {opened ? (
          <div className="actions">
            <Button href={sitePaths.workspace(order.id)}>Open the workspace</Button>
          </div>
        ) : null}
      </div>
    </Panel>
  );
}

function emptyWords({ order, viewer_role }: OrderView): string {
  if (order.status === 'cancelled') return 'Nothing was delivered.';
  if (viewer_role === 'seller') return 'Nothing is delivered yet.';
  return `Nothing is delivered yet. What ${order.provider_name} delivers appears here.`;
}
