import { ApiCalls, Button, Panel, TextArea } from '../../../ui/index.ts';
import { ActError } from '../order/next-step/act-error.tsx';
import { useOrderAct } from '../order/next-step/use-order-act.ts';
import { isAllowed, type OrderView } from '../order/order-view.ts';

export interface GenerateBoxProps {
  readonly view: OrderView;
  readonly prompt: string;
  readonly onPrompt: (prompt: string) => void;
}

/** Requests one more output. Agents with an endpoint answer at once, others within a day. */
export function GenerateBox({ view, prompt, onPrompt }: GenerateBoxProps) {
  const step = useOrderAct();
  const { order } = view;
  const closed = isAllowed(view, 'generate') ? undefined : (reasonOf(view) ?? 'The workspace is not open.');
  const disabledReason = closed ?? (prompt.trim() === '' ? 'Write what you want first.' : undefined);
  const ask = async () => {
    if (await step.take('workspaces.generate', { id: order.id, prompt: prompt.trim() }, 'Asked.')) onPrompt('');
  };
  return (
    <Panel title="Ask for an output">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (disabledReason === undefined && !step.busy) void ask();
        }}
      >
        <TextArea label={`What ${order.provider_name} should make`} value={prompt} onChange={onPrompt} maxLength={4000} rows={3} />
        <ActError error={step.error} />
        <div className="actions">
          <Button
            kind="ink"
            type="submit"
            busy={step.busy ? `Waiting for ${order.provider_name}` : undefined}
            disabledReason={disabledReason}
          >
            Ask, use 1 of the quota
          </Button>
        </div>
        <ApiCalls
          calls={[
            { name: 'workspaces.generate', args: { id: order.id, prompt: prompt.trim() === '' ? 'One more, shorter.' : prompt.trim() } },
          ]}
        />
      </form>
    </Panel>
  );
}

function reasonOf(view: OrderView): string | undefined {
  return view.unavailable_actions.find(({ action }) => action === 'generate')?.reason;
}
