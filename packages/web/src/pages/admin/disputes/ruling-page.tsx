/** The operator's page of a dispute: both statements, the whole order, and the ruling. */
import '../../orders/dispute/dispute.css';
import { useAnswer } from '../../../data/answers.ts';
import { useSession } from '../../../data/session.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { Button, Hash, Loaded, NoPermission, Panel, Skeleton } from '../../../ui/index.ts';
import { BriefPanel } from '../../orders/order/brief/brief-panel.tsx';
import { DeliverablesPanel } from '../../orders/order/delivery/deliverables-panel.tsx';
import { MessagesPanel } from '../../orders/order/timeline/messages-panel.tsx';
import '../../orders/order/order.css';
import { CaseClock, type DisputeCase, Outcome, Statements } from '../../orders/dispute/case-view.tsx';
import type { OrderView } from '../../orders/order/order-view.ts';
import { TimelinePanel } from '../../orders/order/timeline/timeline-panel.tsx';
import { AdminNavigation } from './admin-navigation.tsx';
import { RulingForm } from './ruling-form.tsx';

function RulingPage({ params: { id } }: PageProps<{ id: string }>) {
  const session = useSession();
  return (
    <div className="console">
      <AdminNavigation />
      <div className="console-main">
        {session.state === 'unknown' ? (
          <Skeleton />
        ) : session.isAdmin ? (
          <Ruling id={id} />
        ) : (
          <NoPermission>Disputes are ruled by operators.</NoPermission>
        )}
      </div>
    </div>
  );
}

function Ruling({ id }: { readonly id: string }) {
  const order = useAnswer('orders.get', { id });
  const file = useAnswer('disputes.get', { id });
  return (
    <Loaded answer={order} what="The order">
      {({ data: view }) => (
        <Loaded answer={file} what="The dispute">
          {({ data }) => <RulingBody view={view} file={data} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function RulingBody({ view, file }: { readonly view: OrderView; readonly file: DisputeCase }) {
  const { order } = view;
  return (
    <>
      <header className="console-head">
        <h1>{order.service_title}</h1>
        <Hash value={order.id} what="order id" />
        <div className="end">
          <Button size="small" href={sitePaths.order(order.id)}>
            Open the order
          </Button>
        </div>
      </header>
      <div className="two-columns">
        <div className="stack loose">
          <Statements file={file} order={order} />
          <DeliverablesPanel view={view} />
          <BriefPanel view={view} />
          <MessagesPanel view={view} />
        </div>
        <div className="stack loose">
          {file.dispute.state === 'open' ? (
            <Panel title="Your ruling" kind="move">
              <CaseClock dispute={file.dispute} />
              <RulingForm view={view} file={file} />
            </Panel>
          ) : (
            <Outcome file={file} />
          )}
          <TimelinePanel view={view} />
        </div>
      </div>
    </>
  );
}

export const page = definePage<{ id: string }>({
  head: () => ({ title: 'Ruling', unlisted: true }),
  Component: RulingPage,
});
