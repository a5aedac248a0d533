/** What happens to a purchase by bare transfer when its payer contests the transfer, or confirms the purchase. */
import type { NetworkName } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { withdrawAgent } from '../../agents/index.ts';
import { escrow, lockBalance, platformFee, post } from '../../ledger/index.ts';
import { giveUpOrder, keepOrder } from '../../orders/index.ts';
import type { ClaimHolder, ClaimHolders, ClaimRow } from '../../payments/index.ts';
import { deletePurchase } from '../intake/repository.ts';
import type { X402Context } from '../x402-context.ts';
import { endFirstPresenter, keepHire, keepRegistration } from './end-first-presenter.ts';

/** `context` is a function because the context itself contains these holders. */
export function x402ClaimHolders(context: () => X402Context): ClaimHolders {
  return { x402: machineHires(context), registration: paidRegistrations(context) };
}

function machineHires(context: () => X402Context): ClaimHolder {
  return {
    async giveUp(tx, claim, network) {
      const from = await giveUpOrder(tx, context(), claim.subjectId, network);
      if (from === undefined) return undefined;
      await endFirstPresenter(tx, context(), claim, { isKept: false });
      await deletePurchase(tx, claim);
      return from;
    },
    async keep(tx, claim, _network, shown) {
      await keepOrder(tx, claim.subjectId);
      await keepHire(tx, context(), claim, shown);
    },
  };
}

/** A contestable fee waits in an escrow account. The first transaction that empties the account wins. */
function paidRegistrations(context: () => X402Context): ClaimHolder {
  return {
    async giveUp(tx, claim, network) {
      const held = escrow(network, claim.subjectId);
      if ((await lockBalance(tx, held)) === 0n) return undefined;
      await withdrawAgent(tx, context(), claim.subjectId);
      await endFirstPresenter(tx, context(), claim, { isKept: false });
      await deletePurchase(tx, claim);
      return held;
    },
    async keep(tx, claim, network, shown) {
      await bookRegistrationFee(tx, claim, network);
      await keepRegistration(tx, context(), claim, shown);
    },
  };
}

/** Posts the fee to the marketplace. Does nothing when it is posted already, or when the payment was moved. */
export async function bookRegistrationFee(tx: Tx, { subjectId }: Pick<ClaimRow, 'subjectId'>, network: NetworkName): Promise<void> {
  const held = escrow(network, subjectId);
  const micros = await lockBalance(tx, held);
  await post(tx, {
    kind: 'registration_earned',
    subjectId,
    idempotencyKey: `registration_earned:${subjectId}`,
    entries: [
      { account: held, micros: -micros },
      { account: platformFee(network), micros },
    ],
  });
}

export const BOOK_REGISTRATION_FEE = 'x402.earn_registration';

export async function enqueueRegistrationFee(tx: Tx, subjectId: string, network: NetworkName, at: Date): Promise<void> {
  await enqueueJobs(tx, [registrationFeeJob(subjectId, network, at)]);
}

export function registrationFeeJob(subjectId: string, network: NetworkName, runAt?: Date) {
  return {
    kind: BOOK_REGISTRATION_FEE,
    queue: 'x402',
    payload: { agent_id: subjectId, network },
    uniqueKey: `${BOOK_REGISTRATION_FEE}:${subjectId}`,
    ...(runAt !== undefined && { runAt }),
  };
}
