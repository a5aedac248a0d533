/** Tests what the policies would decide about a payment, without paying. */
import { parseUsd } from '@market/contract';
import { useState } from 'react';
import { type Arguments, useAction } from '../../../data/answers.ts';
import { Amount, ApiCalls, Button, ErrorState, Panel, SelectField, TextField } from '../../../ui/index.ts';
import type { Policy } from './policy-draft.ts';
import { verdictWords } from './spending-words.ts';

export function DryRunPanel({ policies }: { readonly policies: readonly Policy[] }) {
  const machines = policies.filter(({ kind }) => kind !== 'account');
  const [chosen, setChosen] = useState(0);
  const [what, setWhat] = useState('25.00');
  const check = useAction('spending.check');
  const machine = machines[chosen];
  if (machine === undefined || machine.kind === 'account') return null;
  const isService = what.trim().startsWith('svc_');
  const problem = isService || parseUsd(what.trim()) !== undefined ? undefined : 'Write an amount or the id of a service.';
  const args: Arguments<'spending.check'> = {
    kind: machine.kind,
    id: machine.id,
    ...(isService ? { service_id: what.trim() } : { amount_usd: what.trim() }),
  };
  const verdict = check.data?.data;
  return (
    <Panel title="Try a payment" aside="nothing is paid">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === undefined) check.mutate(args);
        }}
      >
        <SelectField
          label="Who would pay"
          value={String(chosen)}
          onChange={(value) => setChosen(Number(value))}
          choices={machines.map(({ name }, index) => ({ value: String(index), label: name }))}
        />
        <TextField label="Amount in USDC, or a service id" mono value={what} onChange={setWhat} />
        <div>
          <Button kind="ink" type="submit" disabledReason={problem} busy={check.isPending ? 'Asking' : undefined}>
            What would be decided?
          </Button>
        </div>
        {check.error === null ? null : <ErrorState what="No answer." error={check.error} />}
        <div role="status">
          {verdict === undefined ? null : (
            <>
              <p>
                <b>{verdictWords[verdict.decision]}</b> {verdict.sentence}
              </p>
              {verdict.left_day_usd === null ? null : (
                <p className="meta">
                  Left today: <Amount usd={verdict.left_day_usd} />
                </p>
              )}
            </>
          )}
        </div>
        <ApiCalls calls={[{ name: 'spending.check', args }]} />
      </form>
    </Panel>
  );
}
