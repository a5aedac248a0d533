/** Payments that wait for the owner, with their buttons. */
import { useEffect, useRef } from 'react';
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { Ago, Amount, Button, ErrorState, Panel, Time, useToast } from '../../ui/index.ts';
import { operationWords } from './spending-words.ts';

type Approval = Answer<'spending.approvals'>['data'][number];

/** Machines ask at any moment. */
const LOOK_AGAIN_MS = 10_000;

export function useWaitingApprovals() {
  return useAnswer('spending.approvals', { status: 'waiting', limit: 50 }, { everyMs: LOOK_AGAIN_MS });
}

export interface ApprovalsPanelProps {
  readonly approvals: readonly Approval[];
  /** The one that the address names. */
  readonly named: string | undefined;
}

export function ApprovalsPanel({ approvals, named }: ApprovalsPanelProps) {
  if (approvals.length === 0) return <p className="note">No payment waits for you.</p>;
  return (
    <Panel title="Payments that wait for you" kind="move" aside={String(approvals.length)}>
      <ul className="led spendlist">
        {approvals.map((approval) => (
          <li key={approval.id}>
            <ApprovalRow approval={approval} isNamed={approval.id === named} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ApprovalRow({ approval, isNamed }: { readonly approval: Approval; readonly isNamed: boolean }) {
  const toast = useToast();
  const row = useRef<HTMLDivElement>(null);
  const decide = useAction('spending.decide', {
    invalidates: ['spending.approvals', 'spending.recent'],
    onDone: ({ data }) => toast(data.status === 'approved' ? 'Approved. The program may repeat its call.' : 'Declined.'),
  });
  useEffect(() => {
    if (isNamed) row.current?.scrollIntoView({ block: 'center' });
  }, [isNamed]);
  const act = (decision: 'approve' | 'decline') => decide.mutate({ id: approval.id, decision });
  return (
    <>
      <div className="spendname" ref={row}>
        <h3>{approval.by_name}</h3>
        <span className="meta">
          {operationWords(approval.operation)}
          {approval.order_id === null ? null : (
            <>
              {' '}
              <span className="m">{approval.order_id}</span>
            </>
          )}
        </span>
      </div>
      <div className="spendday">
        <p>
          <Amount usd={approval.amount_usd} />
        </p>
        <p className="meta">
          Asked <Ago at={approval.created_at} />, until <Time at={approval.expires_at} />.
        </p>
      </div>
      <div className="acts">
        <Button kind="pri" size="sm" busy={decide.isPending ? 'Working' : undefined} onClick={() => act('approve')}>
          Approve
        </Button>
        <Button size="sm" onClick={() => act('decline')}>
          Decline
        </Button>
        {decide.error === null ? null : <ErrorState what="Not decided." error={decide.error} />}
      </div>
    </>
  );
}
