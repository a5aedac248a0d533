/** Every account, agent and program with its limits and its spending. */
import { useState } from 'react';
import { useAction } from '../../../data/answers.ts';
import { Amount, Button, ErrorState, SplitBar, useToast } from '../../../ui/index.ts';
import { PolicyDialog } from './policy-dialog.tsx';
import { type Policy, rulesInWords } from './policy-draft.ts';

const kindWords: Readonly<Record<Policy['kind'], string>> = {
  account: 'All agents and programs together',
  agent: 'Agent',
  connection: 'Connected program',
};

export function PolicyList({ policies }: { readonly policies: readonly Policy[] }) {
  const [open, setOpen] = useState<Policy>();
  return (
    <>
      <ul className="ledger spend-list">
        {policies.map((policy) => (
          <li key={`${policy.kind} ${policy.id}`} data-frozen={policy.frozen ? '' : undefined}>
            <PolicyRow policy={policy} onChange={() => setOpen(policy)} />
          </li>
        ))}
      </ul>
      {open === undefined ? null : <PolicyDialog policy={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function PolicyRow({ policy, onChange }: { readonly policy: Policy; readonly onChange: () => void }) {
  return (
    <>
      <div className="spend-name">
        <h3>{policy.name}</h3>
        <span className="meta">{kindWords[policy.kind]}</span>
        {policy.frozen ? <strong>Frozen: nothing is paid.</strong> : null}
      </div>
      <div className="spend-day">
        <Spent policy={policy} />
        <p className="meta">{rulesInWords(policy)}</p>
      </div>
      <div className="actions">
        <Button size="small" onClick={onChange} label={`Change limits of ${policy.name}`}>
          Change limits
        </Button>
        <FreezeButton policy={policy} />
      </div>
    </>
  );
}

function Spent({ policy: { spent_day_usd: spent, per_day_usd: limit, left_day_usd: left } }: { readonly policy: Policy }) {
  if (limit === null || left === null)
    return (
      <p>
        <Amount usd={spent} /> in 24 hours
      </p>
    );
  return (
    <>
      <p>
        <Amount usd={spent} bare /> of <Amount usd={limit} /> in 24 hours
      </p>
      {Number(spent) === 0 ? null : (
        <SplitBar
          parts={[
            { label: 'spent', usd: spent },
            { label: 'left', usd: left },
          ]}
        />
      )}
    </>
  );
}

function FreezeButton({ policy }: { readonly policy: Policy }) {
  const toast = useToast();
  const freeze = useAction('spending.freeze', {
    invalidates: ['spending.policies', 'spending.check'],
    onDone: ({ data }) => toast(data.frozen ? `${policy.name} can pay nothing now.` : `${policy.name} may pay again.`),
  });
  return (
    <>
      <Button
        size="small"
        busy={freeze.isPending ? 'Working' : undefined}
        onClick={() => freeze.mutate({ kind: policy.kind, id: policy.id, frozen: !policy.frozen })}
        label={`${policy.frozen ? 'Lift the freeze of' : 'Freeze'} ${policy.name}`}
      >
        {policy.frozen ? 'Lift the freeze' : 'Freeze'}
      </Button>
      {freeze.error === null ? null : <ErrorState what="Not done." error={freeze.error} />}
    </>
  );
}
