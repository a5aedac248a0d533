import { useAction } from '../../../data/answers.ts';
import { Button, useToast } from '../../../ui/index.ts';
import type { Delivery } from '../agent-standing.ts';
import { isUnderWay } from './delivery-words.ts';

export interface RedeliverButtonProps {
  readonly agent: string;
  readonly delivery: Delivery;
  /** For table rows: hidden while the delivery is under way, because the row says so. */
  readonly terse?: boolean;
}

export function RedeliverButton({ agent, delivery, terse = false }: RedeliverButtonProps) {
  const toast = useToast();
  const again = useAction('webhooks.redeliver', { invalidates: ['webhooks.list', 'webhooks.get'], onDone: () => toast('Sent again.') });
  const underWay = isUnderWay(delivery);
  if (terse && underWay) return null;
  return (
    <>
      <Button
        size="small"
        label={`Send again: ${delivery.event}`}
        busy={again.isPending ? 'Sending' : undefined}
        disabledReason={underWay ? 'It is still being tried.' : undefined}
        onClick={() => again.mutate({ id: agent, delivery_id: delivery.delivery_id })}
      >
        Send again
      </Button>
      {again.error === null ? null : (
        <span className="note" role="alert">
          Not sent. {again.error.message}
        </span>
      )}
    </>
  );
}
