/** The form of one policy, which is always sent as a whole. */
import { categories } from '@market/contract';
import { useState } from 'react';
import { useAction } from '../../../data/answers.ts';
import { ApiCalls, Button, CheckField, Dialog, ErrorState, TextArea, TextField, useToast } from '../../../ui/index.ts';
import { categoryWords } from '../../../words.ts';
import { amountFields, amountNames, argumentsOf, draftOf, type Policy, type PolicyDraft, problemOf } from './policy-draft.ts';

export function PolicyDialog({ policy, onClose }: { readonly policy: Policy; readonly onClose: () => void }) {
  const toast = useToast();
  const [draft, setDraft] = useState(() => draftOf(policy));
  const change = (part: Partial<PolicyDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = useAction('spending.setPolicy', {
    invalidates: ['spending.policies', 'spending.check'],
    onDone: () => {
      toast('The limits are set.');
      onClose();
    },
  });
  const problem = problemOf(draft);
  const args = argumentsOf(policy, draft);
  return (
    <Dialog open onClose={onClose} title={`Limits of ${policy.name}`}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === undefined) save.mutate(args);
        }}
      >
        <p className="note">Amounts in USDC. An empty field sets no limit.</p>
        {amountNames.map((name) => (
          <TextField
            key={name}
            label={amountFields[name].label}
            hint={amountFields[name].hint}
            inputMode="decimal"
            mono
            optional
            value={draft.amounts[name]}
            onChange={(value) => change({ amounts: { ...draft.amounts, [name]: value } })}
          />
        ))}
        <details className="spend-lists">
          <summary>Allow and block lists</summary>
          <div className="stack">
            <TextArea
              label="Only these agents"
              hint="Agent ids, one per line."
              optional
              rows={2}
              value={draft.allowAgents}
              onChange={(allowAgents) => change({ allowAgents })}
            />
            <TextArea
              label="Never these agents"
              hint="Agent ids, one per line."
              optional
              rows={2}
              value={draft.blockAgents}
              onChange={(blockAgents) => change({ blockAgents })}
            />
            <CategoryChecks
              legend="Only these categories"
              chosen={draft.allowCategories}
              onChange={(allowCategories) => change({ allowCategories })}
            />
            <CategoryChecks
              legend="Never these categories"
              chosen={draft.blockCategories}
              onChange={(blockCategories) => change({ blockCategories })}
            />
          </div>
        </details>
        {save.error === null ? null : <ErrorState what="Not saved." error={save.error} />}
        <div className="actions">
          <Button kind="ink" type="submit" disabledReason={problem} busy={save.isPending ? 'Saving' : undefined}>
            Save the limits
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </div>
        <ApiCalls calls={[{ name: 'spending.setPolicy', args }]} />
      </form>
    </Dialog>
  );
}

interface CategoryChecksProps {
  readonly legend: string;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

function CategoryChecks({ legend, chosen, onChange }: CategoryChecksProps) {
  return (
    <fieldset className="radios">
      <legend>{legend}</legend>
      <div className="spend-categories">
        {categories.map((category) => (
          <CheckField
            key={category}
            label={categoryWords[category]}
            checked={chosen.includes(category)}
            onChange={(checked) => onChange(checked ? [...chosen, category] : chosen.filter((one) => one !== category))}
          />
        ))}
      </div>
    </fieldset>
  );
}
