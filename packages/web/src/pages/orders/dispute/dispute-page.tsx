import './dispute.css';
import { useState } from 'react';
import { useAnswer } from '../../../data/answers.ts';
import { definePage, type PageProps } from '../../../page.ts';
import { sitePaths } from '../../../site-paths.ts';
import { ApiCalls, Button, Loaded, MoneyLine, Panel, StatusChip } from '../../../ui/index.ts';
import { type AccessWay, OrderAccess } from '../order/access/order-access.tsx';
import { loadOrder } from '../order/load-order.ts';
import { moneyLine } from '../order/money/money-words.ts';
import { ActDialog } from '../order/next-step/act-dialog.tsx';
import { type PlainAct, wordsOfAct } from '../order/next-step/order-acts.ts';
import { OrderCrumb } from '../order/order-crumb.tsx';
import { isAllowed, type OrderView, shownStatus, statusDetail } from '../order/order-view.ts';
import { useSentenceParts } from '../order/sentence-parts.ts';
import { CaseClock, type DisputeCase, Outcome, Statements } from './case-view.tsx';
import { StatementForm } from './statement-form.tsx';

function DisputePage({ params: { id } }: PageProps<{ id: string }>) {
  return (
    <div className="wrap">
      <OrderAccess orderId={id}>{(way) => <Dispute id={id} way={way} />}</OrderAccess>
    </div>
  );
}

function Dispute({ id, way }: { readonly id: string; readonly way: AccessWay }) {
  const order = useAnswer('orders.get', { id }, way);
  const file = useAnswer('disputes.get', { id }, way);
  return (
    <>
      <OrderCrumb orderId={id} title={order.data?.data.order.service_title} here="Dispute" />
      <Loaded answer={order} what="The order">
        {({ data: view }) => (
          <>
            <header className="page-head">
              <h1>Dispute: {view.order.service_title}</h1>
              <div className="facts-line">
                <StatusChip status={shownStatus(view)}>{statusDetail(view)}</StatusChip>
                <span>
                  {view.order.client_name} and {view.order.provider_name}
                </span>
              </div>
            </header>
            <Loaded answer={file} what="The dispute">
              {({ data }) => <DisputeBody view={view} file={data} />}
            </Loaded>
          </>
        )}
      </Loaded>
    </>
  );
}

function DisputeBody({ view, file }: { readonly view: OrderView; readonly file: DisputeCase }) {
  const format = useSentenceParts();
  const isOpen = file.dispute.state === 'open';
  return (
    <>
      <MoneyLine {...moneyLine(view, format)} />
      <div className="columns aside-first">
        <aside className="stack loose aside-top" aria-label="Clock and ruling">
          <Outcome file={file} />
          {isOpen ? <OpenCase view={view} file={file} /> : null}
        </aside>
        <div className="stack loose main-column">
          <Statements file={file} order={view.order} />
          {file.may_state ? (
            <StatementForm orderId={view.order.id} />
          ) : isOpen && view.viewer_role !== 'admin' ? (
            <p className="note">Your side can add nothing more. The ruling is next.</p>
          ) : null}
        </div>
        <div className="aside-rest" />
      </div>
    </>
  );
}

function OpenCase({ view, file }: { readonly view: OrderView; readonly file: DisputeCase }) {
  const format = useSentenceParts();
  const [asked, setAsked] = useState<PlainAct>();
  const acts = (['withdraw_dispute', 'refund'] as const).filter((act) => isAllowed(view, act));
  const { id } = view.order;
  return (
    <Panel title={`${format.amount(file.money.held_usd)} held until the ruling`}>
      <div className="stack">
        <CaseClock dispute={file.dispute} />
        {view.viewer_role === 'admin' ? (
          <Button kind="primary" wide href={sitePaths.ruling(id)}>
            Rule this dispute
          </Button>
        ) : null}
        {acts.map((act) => (
          <Button key={act} wide onClick={() => setAsked(act)}>
            {wordsOfAct(act, view, format).button}
          </Button>
        ))}
        <Button wide href={sitePaths.order(id)}>
          Deliverables, brief and messages
        </Button>
        {file.may_state ? (
          <ApiCalls calls={[{ name: 'disputes.state', args: { id, statement: 'Your side of it.', evidence_urls: [] } }]} />
        ) : null}
      </div>
      {asked === undefined ? null : (
        <ActDialog key={asked} act={asked} words={wordsOfAct(asked, view, format)} view={view} onClose={() => setAsked(undefined)} />
      )}
    </Panel>
  );
}

export const page = definePage<{ id: string }>({
  load: (context) => loadOrder(context, ['orders.get', 'disputes.get']),
  head: () => ({ title: 'Dispute', unlisted: true }),
  Component: DisputePage,
});
