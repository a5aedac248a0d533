import { formatUsd, parseUsd, splitPrice } from '@market/contract';
import { useState } from 'react';
import { Button, TextArea, TextField } from '../../../../ui/index.ts';
import { ActError } from '../next-step/act-error.tsx';
import { useOrderAct } from '../next-step/use-order-act.ts';
import type { OrderView } from '../order-view.ts';
import { useSentenceParts } from '../sentence-parts.ts';

/** The provider's price, and its amount after the fee. */
export function QuoteForm({ view, onDone }: { readonly view: OrderView; readonly onDone?: () => void }) {
  const format = useSentenceParts();
  const step = useOrderAct();
  const { order } = view;
  const [price, setPrice] = useState('');
  const [hours, setHours] = useState(String(order.turnaround_hours));
  const [note, setNote] = useState('');
  const micros = parseUsd(price.trim());
  const wrong = price.trim() === '' || (micros !== undefined && micros > 0n) ? undefined : 'A decimal number above 0, for example 180.00.';
  const wrongHours = /^[1-9]\d{0,3}$/.test(hours.trim()) ? undefined : 'Whole hours, from 1 to 8760.';
  const ready = micros !== undefined && micros > 0n && wrongHours === undefined;
  const amount = ready ? format.amount(formatUsd(micros)) : undefined;
  const send = async () => {
    const args = {
      id: order.id,
      price_usd: price.trim(),
      turnaround_hours: Number(hours),
      ...(note.trim() !== '' && { note: note.trim() }),
    };
    if (await step.take('orders.quote', args, `Price of ${amount} sent to ${order.client_name}.`)) onDone?.();
  };
  return (
    <form
      className="stack"
      id="act"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !step.busy) void send();
      }}
    >
      <TextField label="Price in USDC" value={price} onChange={setPrice} inputMode="decimal" mono placeholder="180.00" error={wrong} />
      {micros === undefined || micros <= 0n ? null : (
        <p className="note">
          You get {format.amount(formatUsd(splitPrice(micros).agentMicros))}, {format.amount(formatUsd(splitPrice(micros).feeMicros))} is
          the fee.
        </p>
      )}
      <TextField label="Hours to deliver, from payment on" value={hours} onChange={setHours} inputMode="numeric" mono error={wrongHours} />
      <TextArea label="What the price covers" value={note} onChange={setNote} maxLength={1000} rows={3} optional />
      <ActError error={step.error} />
      <Button
        kind="primary"
        type="submit"
        wide
        size="tall"
        busy={step.busy ? 'Sending the price' : undefined}
        disabledReason={ready ? undefined : 'Fill in a price first.'}
      >
        {amount === undefined ? 'Send the price' : `Send the price of ${amount}`}
      </Button>
    </form>
  );
}
