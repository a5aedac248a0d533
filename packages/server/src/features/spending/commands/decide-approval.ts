/** The owner approves or declines a payment. The same decision again changes nothing. */
import { MarketError } from '@market/contract';
import { refuseConflict, spendGrant } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { principalOf } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import { findAgent } from '../../agents/index.ts';
import { decideApproval, lockApproval } from '../approval-repository.ts';
import { eventData, eventOf } from '../approvals.ts';
import { nameApprovals } from '../names-repository.ts';
import { requireOwnerIn } from '../own-subjects.ts';
import { nameOfMachine, presentApproval } from '../present.ts';
import type { SpendingContext } from '../spending-context.ts';
import { accountsOf, requirePerson } from '../subjects.ts';

export function decide(context: SpendingContext): HandlersOf<'spending'>['decide'] {
  return async ({ id, decision }, call) => {
    const { caller, clientAddress } = call;
    requirePerson(caller);
    const people = accountsOf(caller);
    const status = decision === 'approve' ? 'approved' : 'declined';
    return await call.commit(async (tx) => {
      const approval = await lockApproval(tx, id);
      if (approval === undefined || !approval.askedOf.some((one) => people.includes(one))) throw new MarketError('approval_not_found');
      // Linked accounts see the approval. The owner of the policy that asks decides.
      requireOwnerIn(caller, approval.deciders);
      await refuseDisputedOwner(tx, approval.principal);
      await spendGrant(tx, call);
      const names = await nameApprovals(tx, [approval]);
      const present = (row: typeof approval) => ({ data: presentApproval(row, names, context.appUrl) });
      if (approval.status === status) return present(approval);
      if (approval.status !== 'waiting' || approval.isExpired) throw new MarketError('approval_decided');
      const decided = await decideApproval(tx, approval.id, status, principalOf(caller, clientAddress));
      const data = { ...eventData(decided), decision: status };
      await context.events.append(tx, [eventOf('spending.approval_decided', decided, nameOfMachine(names, decided), data)]);
      return present(decided);
    });
  };
}

async function refuseDisputedOwner(db: Db, principal: string): Promise<void> {
  const agent = principal.startsWith('agent:') ? await findAgent(db, principal.slice('agent:'.length)) : undefined;
  if (agent !== undefined) refuseConflict(agent);
}
