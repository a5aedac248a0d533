/** Asks for confirmation before an action that moves money or ends an order: amount, receiver, and whether it can be undone. */
import { useState } from 'react';
import type { Arguments } from '../../../../data/answers.ts';
import { ApiCalls, Button, CheckField, Dialog, TextArea } from '../../../../ui/index.ts';
import type { OrderView } from '../order-view.ts';
import { ActError } from './act-error.tsx';
import { type ActWords, actOperations, type PlainAct } from './order-acts.ts';
import { useOrderAct } from './use-order-act.ts';

export interface ActDialogProps {
  readonly act: PlainAct;
  readonly words: ActWords;
  readonly view: OrderView;
  readonly onClose: () => void;
}

export function ActDialog({ act, words, view, onClose }: ActDialogProps) {
  const step = useOrderAct();
  const [text, setText] = useState('');
  const [show, setShow] = useState(view.order.allow_portfolio === 1);
  const { confirm } = words;
  if (confirm === undefined) return null;
  const field = confirm.text;
  const missing = field?.required === true && text.trim() === '';
  const args = argumentsOf(act, view.order.id, field?.field, text.trim(), show);
  const submit = async () => {
    if (await step.take(actOperations[act], args, words.done)) onClose();
  };
  return (
    <Dialog open onClose={onClose} title={confirm.title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing && !step.busy) void submit();
        }}
      >
        {confirm.consequences.map((sentence) => (
          <p key={sentence} className="note">
            {sentence}
          </p>
        ))}
        {field === undefined ? null : (
          <TextArea
            label={field.label}
            hint={field.hint}
            value={text}
            onChange={setText}
            maxLength={field.maxLength}
            optional={!field.required}
            required={field.required}
          />
        )}
        {act === 'approve' ? (
          <CheckField label={`${view.order.provider_name} may show the result in its portfolio`} checked={show} onChange={setShow} />
        ) : null}
        <ActError error={step.error} />
        <div className="actions">
          <Button
            kind={act === 'approve' ? 'primary' : 'ink'}
            type="submit"
            busy={step.busy ? 'One moment' : undefined}
            disabledReason={missing ? `${field?.label ?? 'A text'}: write a sentence first.` : undefined}
          >
            {words.button}
          </Button>
          <Button onClick={onClose}>Back</Button>
        </div>
        <ApiCalls calls={[{ name: actOperations[act], args }]} />
      </form>
    </Dialog>
  );
}

type ActArguments = Arguments<(typeof actOperations)[PlainAct]>;

function argumentsOf(act: PlainAct, id: string, field: 'reason' | 'feedback' | undefined, text: string, show: boolean): ActArguments {
  const given = field !== undefined && text !== '' ? { [field]: text } : {};
  return { id, ...given, ...(act === 'approve' && { allow_portfolio: show }) } as ActArguments;
}
