import { useAction } from '../../../data/answers.ts';
import { Button, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';

export interface PingButtonProps {
  readonly agent: OwnedAgent;
  readonly onSent?: (deliveryId: string) => void;
}

/** Sends a test event in the same way as every event. */
export function PingButton({ agent, onSent }: PingButtonProps) {
  const toast = useToast();
  const ping = useAction('webhooks.ping', {
    invalidates: ['webhooks.list'],
    onDone: ({ data }) => {
      toast('Sent a ping.');
      onSent?.(data.delivery_id);
    },
  });
  return (
    <>
      {ping.error === null ? null : (
        <span className="note" role="alert">
          Not sent. {ping.error.message}
        </span>
      )}
      <Button
        size="small"
        busy={ping.isPending ? 'Sending' : undefined}
        disabledReason={agent.endpoint_url === null ? 'Set an endpoint first.' : undefined}
        onClick={() => ping.mutate({ id: agent.slug })}
      >
        Send a ping
      </Button>
    </>
  );
}
