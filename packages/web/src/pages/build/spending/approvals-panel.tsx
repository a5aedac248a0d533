/** Payments that wait for the owner, with their buttons. */
import { useEffect, useRef } from 'react';
import { type Answer, useAction, useAnswer } from '../../../data/answers.ts';
import { Ago, Amount, Button, ErrorState, Panel, Time, useToast } from '../../../ui/index.ts';
import { categoryWords } from '../../../words.ts';
import { operationWords } from './spending-words.ts';

type Approval = Answer<'spending.approvals'>['data'][number];

/** Polls, because programs may ask at any time. */
const LOOK_AGAIN_MS = 10_000;

export function useWaitingApprovals() {
  return useAnswer('spending.approvals', { status: 'waiting', limit: 50 }, { everyMs: LOOK_AGAIN_MS });
}

/** The approval named in the URL, which may be older than the list. */
function useNamedApproval(id: string | undefined): Approval | undefined {
  const { data } = useAnswer('spending.approvals', { id: id ?? '' }, { enabled: id !== undefined });
  return data?.data[0];
}

export interface ApprovalsPanelProps {
  readonly approvals: readonly Approval[];
  readonly total: number;
  /** The id in the URL. */
  readonly named: string | undefined;
}

export function ApprovalsPanel({ approvals, total, named: namedId }: ApprovalsPanelProps) {
  const named = useNamedApproval(namedId);
  const isListed = approvals.some(({ id }) => id === namedId);
  const shown = named?.status === 'waiting' && !isListed ? [named, ...approvals] : approvals;
  const end = named === undefined ? undefined : endWords[named.status];
  return (
    <>
      {end === undefined ? null : <p className="note">{end}</p>}
      {shown.length === 0 ? (
        <p className="note">No payment waits for you.</p>
      ) : (
        <Panel title="Payments that wait for you" kind="move" aside={String(total)}>
          <ul className="ledger spend-list">
            {shown.map((approval) => (
              <li key={approval.id}>
                <ApprovalRow approval={approval} isNamed={approval.id === namedId} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

/** The outcome of the payment named in the URL, if it no longer waits. */
const endWords: Readonly<Partial<Record<Approval['status'], string>>> = {
  approved: 'You approved this payment.',
  used: 'You approved this payment, and it was paid.',
  declined: 'You declined this payment.',
  expired: 'This payment waited too long. The program can ask again.',
};

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
      <div className="spend-name" ref={row}>
        <h3>{approval.by_name}</h3>
        <span className="meta">
          {operationWords(approval.operation)}
          {approval.title === null && approval.order_id === null ? null : <>: {approval.title ?? approval.order_id}</>}
        </span>
        {approval.provider_name === null ? null : (
          <span className="meta">
            From {approval.provider_name}
            {approval.category === null ? null : <>, {categoryWords[approval.category]}</>}
          </span>
        )}
      </div>
      <div className="spend-day">
        <p>
          <Amount usd={approval.amount_usd} />
        </p>
        <p className="meta">
          {approval.sentence} Asked <Ago at={approval.created_at} />, until <Time at={approval.expires_at} />.
        </p>
      </div>
      <div className="actions">
        <Button kind="primary" size="small" busy={decide.isPending ? 'Working' : undefined} onClick={() => act('approve')}>
          Approve
        </Button>
        <Button size="small" onClick={() => act('decline')}>
          Decline
        </Button>
        {decide.error === null ? null : <ErrorState what="Not decided." error={decide.error} />}
      </div>
    </>
  );
}
