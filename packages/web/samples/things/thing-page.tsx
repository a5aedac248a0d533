import { useAction, useAnswer } from '../../src/data/answers.ts';
import { definePage, type PageProps } from '../../src/page.ts';
import { Button, Loaded, useToast } from '../../src/ui/index.ts';

function ThingPage({ params }: PageProps<{ id: string }>) {
  // Typed by the contract, shared between components, refreshed by live events.
  const order = useAnswer('orders.get', { id: params.id });
  const toast = useToast();
  const approve = useAction('orders.approve', { invalidates: ['orders.get', 'orders.list'], onDone: () => toast('Accepted.') });
  return (
    <div className="wrap">
      <Loaded answer={order} what="The order">
        {({ data }) => <h1>{data.order.service_title}</h1>}
      </Loaded>
      <Button kind="primary" busy={approve.isPending ? 'Accepting' : undefined} onClick={() => approve.mutate({ id: params.id })}>
        Accept
      </Button>
    </div>
  );
}

export const page = definePage<{ id: string }>({
  // For public pages: runs on the server before rendering. A 404 becomes the 404 page.
  load: ({ ask, params }) => ask('orders.get', { id: params.id }),
  head: ({ known, params }) => ({ title: known('orders.get', { id: params.id })?.data.order.service_title ?? 'Order' }),
  Component: ThingPage,
});
