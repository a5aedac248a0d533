/** Prices or delivers an order without leaving the queue: its brief, its clock, and the form of the order page. */
import { useState } from 'react';
import { useAnswer } from '../../data/answers.ts';
import { sitePaths } from '../../site-paths.ts';
import { ApiCalls, Button, Clock, Dialog, Empty, Loaded } from '../../ui/index.ts';
import { BriefPanel } from '../orders/order/brief/brief-panel.tsx';
import { QuoteForm } from '../orders/order/brief/quote-form.tsx';
import { DeliverForm } from '../orders/order/delivery/deliver-form.tsx';
import { RevisionFeedback } from '../orders/order/delivery/deliverables-panel.tsx';
import { apiCallsOf } from '../orders/order/next-step/api-calls.ts';
import { silenceWords } from '../orders/order/next-step/move-words.ts';
import { actNames } from '../orders/order/next-step/order-acts.ts';
import { clockStart, isAllowed, type OrderView } from '../orders/order/order-view.ts';
import { useSentenceParts } from '../orders/order/sentence-parts.ts';
import type { QueueOrder } from './queue.ts';

export interface QueueDialogProps {
  readonly order: QueueOrder;
  readonly onClose: () => void;
}

export function QueueDialog({ order, onClose }: QueueDialogProps) {
  const view = useAnswer('orders.get', { id: order.id });
  const title = order.status === 'pending_quote' ? 'Give a price' : 'Deliver';
  return (
    <Dialog open kind="sheet" onClose={onClose} title={`${title}: ${order.service_title}`}>
      <Loaded answer={view} what="The order">
        {({ data }) => <QueueForm view={data} onDone={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function QueueForm({ view, onDone }: { readonly view: OrderView; readonly onDone: () => void }) {
  const format = useSentenceParts();
  // Fixed when opened: afterwards the order is in another state, and the dialog closes a moment later.
  const [act] = useState<'quote' | 'deliver' | undefined>(() =>
    isAllowed(view, 'quote') ? 'quote' : isAllowed(view, 'deliver') ? 'deliver' : undefined,
  );
  if (act === undefined)
    return (
      <Empty action={<Button href={sitePaths.order(view.order.id)}>Open the order</Button>}>
        The order has moved on meanwhile, and nothing waits for you here.
      </Empty>
    );
  const calls = apiCallsOf(view).filter(({ title }) => title === actNames[act]);
  return (
    <div className="stack">
      {view.clock === null ? null : (
        <Clock from={clockStart(view)} until={view.clock.at}>
          {silenceWords(view, format)}
        </Clock>
      )}
      <BriefPanel view={view} />
      <RevisionFeedback view={view} />
      {act === 'quote' ? <QuoteForm view={view} onDone={onDone} /> : <DeliverForm order={view.order} onDone={onDone} />}
      {calls.length === 0 ? null : <ApiCalls calls={calls} />}
      <p className="note">
        Messages, files and the timeline are on <a href={sitePaths.order(view.order.id)}>the order’s page</a>.
      </p>
    </div>
  );
}
