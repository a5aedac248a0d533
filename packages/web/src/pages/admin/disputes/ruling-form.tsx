/** A ruling: release, refund or split, with amounts that add up and a reason for both sides. Asks for confirmation. */
import { useState } from 'react';
import { useFacts } from '../../../data/site-facts.ts';
import { ApiCalls, Button, Dialog, RadioRows, SplitBar, Sum, TextArea, TextField } from '../../../ui/index.ts';
import { feeWords } from '../../../words.ts';
import type { DisputeCase } from '../../orders/dispute/case-view.tsx';
import { ActError } from '../../orders/order/next-step/act-error.tsx';
import { useOrderAct } from '../../orders/order/next-step/use-order-act.ts';
import { isAllowed, type OrderView } from '../../orders/order/order-view.ts';
import { useSentenceParts } from '../../orders/order/sentence-parts.ts';
import { sharesOf } from './split-ruling.ts';

type RulingKind = 'release' | 'refund' | 'split';

const LEAST_REASON = 10;
const commands = { release: 'rule_release', refund: 'rule_refund', split: 'rule_split' } as const;
const done = { release: 'Ruled: released to the provider.', refund: 'Ruled: refunded to the buyer.', split: 'Ruled: split between both.' };

export function RulingForm({ view, file }: { readonly view: OrderView; readonly file: DisputeCase }) {
  const { serviceName } = useFacts();
  const format = useSentenceParts();
  const step = useOrderAct();
  const { order } = view;
  const [ruling, setRuling] = useState<RulingKind>();
  const [refund, setRefund] = useState('');
  const [reason, setReason] = useState('');
  const [asked, setAsked] = useState(false);
  const { held_usd, price_usd, provider_usd } = file.money;
  const stake = { heldUsd: held_usd, priceUsd: price_usd ?? '0', providerUsd: provider_usd ?? '0' };
  const shares = ruling === undefined ? undefined : sharesOf(ruling, refund, stake);
  const wrongAmount =
    ruling === 'split' && refund.trim() !== '' && shares === undefined
      ? `More than 0 and less than ${format.amount(price_usd)}.`
      : undefined;
  const args = {
    id: order.id,
    ruling: ruling ?? 'release',
    reason: reason.trim(),
    ...(ruling === 'split' && { refund_usd: refund.trim() }),
  };
  const disabledReason =
    shares === undefined
      ? ruling === undefined
        ? 'Choose a ruling first.'
        : 'Say how much goes back to the buyer.'
      : reason.trim().length < LEAST_REASON
        ? `Give a reason of at least ${LEAST_REASON} characters.`
        : undefined;
  const rule = async () => {
    if (await step.take('disputes.rule', args, done[args.ruling])) setAsked(false);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (disabledReason === undefined) setAsked(true);
      }}
    >
      <RadioRows
        legend="What happens to the money"
        value={ruling}
        onChange={(value) => setRuling(value as RulingKind)}
        rows={(['release', 'refund', 'split'] as const)
          .filter((kind) => isAllowed(view, commands[kind]))
          .map((kind) => ({ value: kind, label: choiceWords(kind, view) }))}
      />
      {ruling === 'split' ? (
        <TextField
          label="Back to the buyer, USDC"
          value={refund}
          onChange={setRefund}
          inputMode="decimal"
          mono
          placeholder="40.00"
          error={wrongAmount}
        />
      ) : null}
      {shares === undefined ? null : (
        <div>
          <SplitBar
            parts={[
              { label: 'to the provider', usd: shares.providerUsd },
              { label: 'fee', usd: shares.feeUsd },
              { label: 'to the buyer', usd: shares.buyerUsd },
            ]}
          />
          <Sum
            small
            lines={[
              { label: `To ${order.provider_name}`, value: format.amount(shares.providerUsd) },
              { label: `${feeWords(serviceName, 'To')} on what is released`, value: format.amount(shares.feeUsd) },
              { label: `To ${order.client_name}`, value: format.amount(shares.buyerUsd) },
              { label: 'Held', value: format.amount(held_usd), kind: 'total' },
            ]}
          />
        </div>
      )}
      <TextArea
        label="Reason"
        hint="Both sides read it, and the log of operators keeps it."
        value={reason}
        onChange={setReason}
        maxLength={2000}
        rows={4}
      />
      <Button kind="primary" type="submit" wide disabledReason={disabledReason}>
        {ruling === undefined ? 'Rule' : buttonWords(ruling, shares?.buyerUsd, held_usd, format.amount)}
      </Button>
      <ApiCalls calls={[{ name: 'disputes.rule', args: { ...args, reason: args.reason === '' ? 'Why.' : args.reason } }]} />
      <Dialog open={asked} onClose={() => setAsked(false)} title="Rule this dispute">
        <p className="note">
          {shares === undefined
            ? ''
            : `${format.amount(shares.providerUsd)} goes to ${order.provider_name}, ${format.amount(shares.buyerUsd)} to ${order.client_name}. The order ends. A ruling cannot be changed.`}
        </p>
        <ActError error={step.error} />
        <div className="actions">
          <Button kind="ink" busy={step.busy ? 'Ruling' : undefined} onClick={() => void rule()}>
            Rule now
          </Button>
          <Button onClick={() => setAsked(false)}>Back</Button>
        </div>
      </Dialog>
    </form>
  );
}

function choiceWords(kind: RulingKind, { order }: OrderView): string {
  if (kind === 'release') return `Release to ${order.provider_name}`;
  return kind === 'refund' ? `Refund to ${order.client_name}` : 'Split between both';
}

function buttonWords(ruling: RulingKind, buyerUsd: string | undefined, heldUsd: string, amount: (usd: string) => string): string {
  if (ruling === 'release') return `Rule: release ${amount(heldUsd)}`;
  if (ruling === 'refund') return `Rule: refund ${amount(heldUsd)}`;
  return buyerUsd === undefined ? 'Rule: split' : `Rule: ${amount(buyerUsd)} back to the buyer`;
}
