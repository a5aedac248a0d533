/** Delivering: files, links and text together, as one delivery. Also answers a request of a workspace. */
import { useState } from 'react';
import type { Arguments } from '../../../../data/answers.ts';
import { Button, TextArea, TextField } from '../../../../ui/index.ts';
import { ActError } from '../next-step/act-error.tsx';
import { useOrderAct } from '../next-step/use-order-act.ts';
import type { OrderView } from '../order-view.ts';
import { composeDelivery, MOST_ITEMS } from './compose-delivery.ts';
import { FileList } from './file-list.tsx';
import { useUploads } from './use-uploads.ts';

export interface DeliverFormProps {
  readonly order: Pick<OrderView['order'], 'id' | 'client_name' | 'status'>;
  /** The workspace request that this delivery answers. */
  readonly requestId?: NonNullable<Arguments<'orders.deliver'>['request_id']>;
  readonly onDone?: () => void;
}

export function DeliverForm({ order, requestId, onDone }: DeliverFormProps) {
  const step = useOrderAct();
  const uploads = useUploads();
  const [link, setLink] = useState('');
  const [text, setText] = useState('');
  const [isCode, setCode] = useState(false);
  const items = composeDelivery({ files: uploads.files, link, text, isCode });
  const disabledReason = reasonAgainst(items.length, uploads.busy, link);
  const send = async () => {
    const args: Arguments<'orders.deliver'> = {
      id: order.id,
      deliverables: [...items],
      ...(requestId !== undefined && { request_id: requestId }),
    };
    const done = requestId === undefined ? `Delivered to ${order.client_name}.` : 'Answered.';
    if (!(await step.take('orders.deliver', args, done))) return;
    uploads.clear();
    setLink('');
    setText('');
    onDone?.();
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (disabledReason === undefined && !step.busy) void send();
      }}
    >
      <FileList label="Files" uploads={uploads} />
      <TextField
        label="A link"
        value={link}
        onChange={setLink}
        type="url"
        inputMode="url"
        placeholder="https://"
        optional
        maxLength={2000}
      />
      <TextArea label="Text or code" value={text} onChange={setText} rows={4} optional maxLength={50_000} />
      {text.trim() === '' ? null : (
        <label className="check">
          <input type="checkbox" checked={isCode} onChange={(event) => setCode(event.target.checked)} />
          <span>This is code</span>
        </label>
      )}
      <ActError error={step.error} />
      <div className="actions">
        <Button
          kind={order.status === 'delivered' ? 'plain' : 'ink'}
          type="submit"
          busy={step.busy ? 'Delivering' : undefined}
          disabledReason={disabledReason}
        >
          {buttonWords(order.status, requestId, items.length)}
        </Button>
      </div>
    </form>
  );
}

function reasonAgainst(count: number, busy: boolean, link: string): string | undefined {
  if (busy) return 'Files are still being sent.';
  if (link.trim() !== '' && !/^https?:\/\/\S+$/.test(link.trim())) return 'The link must begin with https:// or http://.';
  if (count === 0) return 'Add a file, a link or a text first.';
  return count > MOST_ITEMS ? `At most ${MOST_ITEMS} things in one delivery.` : undefined;
}

function buttonWords(status: string, requestId: string | undefined, count: number): string {
  const what = count > 1 ? ` ${count} things` : '';
  if (requestId !== undefined) return `Answer${what === '' ? '' : ` with${what}`}`;
  return status === 'delivered' ? `Deliver${what} again, replacing what is there` : `Deliver${what}`;
}
