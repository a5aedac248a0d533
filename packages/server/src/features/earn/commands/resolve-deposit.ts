/** An operator decides on a held deposit: deploy it again, or send it back. */
import { decideDeposit, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { stepJob } from '../../outgoing/index.ts';
import { findPayoutFor, retryParkedPayout } from '../../payouts/index.ts';
import { findDeposit, moveDeposit } from '../deposit-repository.ts';
import type { EarnContext } from '../earn-context.ts';
import { advancingDeposit } from '../earn-job-names.ts';
import { mintHeld, refundDeposit } from '../end-deposit.ts';
import { listFoundRedeems } from '../found-redeem-repository.ts';
import { findDeployed, findOpenIntent } from '../intent-repository.ts';
import { type RedeemOfDeposit, readRedeemsOf } from '../lost-deposit.ts';
import { composeDeposit } from '../present-movement.ts';
import { findVenuePort, orVenueUnavailable, requireVenuePort } from '../vaults.ts';

const TOO_LITTLE = 'The venue took it, and it is worth less than one share. Recognise a harvest to give its units to the pool.';

export function resolveDeposit(context: EarnContext): HandlersOf<'earn'>['resolveDeposit'] {
  return async ({ id, action, reason }, call) => {
    const redeems = action === 'retry' ? await readLostRedeems(context, id) : [];
    return await call.commit(async (tx) => {
      const deposit = await findDeposit(tx, id);
      if (deposit === undefined) throw new MarketError('earn_deposit_not_found');
      const to = decideDeposit(deposit.status, action, 'operator');
      if (to === undefined) throw new MarketError('earn_deposit_not_held');
      // Deployed USDC has left the treasury: it can only be minted.
      const isDeployed = (await findDeployed(tx, id)) !== undefined;
      if (
        isDeployed &&
        !(action === 'retry' && (await mintHeld(tx, context, requireVenuePort(context, { key: deposit.vaultKey }), deposit, redeems)))
      )
        throw new MarketError('earn_deposit_not_held', { message: action === 'retry' ? TOO_LITTLE : 'The venue took it. Retry it.' });
      // A queued refund has reserved the USDC: a deploy would find nothing.
      const refund = await findPayoutFor(tx, 'earn_refund', id);
      if (!isDeployed && action === 'retry' && refund !== undefined)
        throw new MarketError('earn_deposit_not_held', { message: 'Its refund was ordered already, so it cannot be deployed. Refund it.' });
      if (action === 'retry' && !isDeployed) {
        if (!(await moveDeposit(tx, id, deposit.status, to, { reason: null }))) throw new MarketError('earn_deposit_not_held');
        await enqueueJobs(tx, [stepJob(advancingDeposit, id)]);
      } else if (action === 'refund') {
        // A signed deploy may still land: a refund would pay twice.
        if ((await findOpenIntent(tx, { subjectId: id })) !== undefined)
          throw new MarketError('earn_deposit_not_held', {
            message: 'Its deploy is still under way, so it cannot be sent back. Retry it.',
          });
        if (!(await refundDeposit(tx, deposit, 'operator', reason))) throw new MarketError('earn_deposit_not_held');
        if (refund?.state === 'parked') await retryParkedPayout(tx, refund.id, refund.destination);
      }
      await recordAdminAction(tx, call.caller, {
        action: `earn.deposit_${action}`,
        subjectId: id,
        reason,
        details: { status: deposit.status },
      });
      const stored = await findDeposit(tx, id);
      if (stored === undefined) throw new Error(`${id} is gone`);
      return { data: composeDeposit(context, stored) };
    });
  };
}

/** Redemptions of lost books that took units of this deployed deposit. */
async function readLostRedeems(context: EarnContext, id: string): Promise<readonly RedeemOfDeposit[]> {
  const { db } = context.database;
  const deposit = await findDeposit(db, id);
  const vault = deposit && findVenuePort(context, deposit.vaultKey);
  if (deposit?.status !== 'held' || vault === undefined || (await findDeployed(db, id)) === undefined) return [];
  return await orVenueUnavailable(readRedeemsOf(context, vault, deposit, await listFoundRedeems(db, vault.key)));
}
