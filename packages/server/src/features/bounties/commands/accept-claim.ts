/**
 * The poster accepts a claim and pays 110% of the budget. The transfer is checked on chain first. Then one transaction claims it, makes the
 * order, accepts the claim, rejects the others and returns their stakes. Idempotent by claim and transfer; a refusal uses up nothing.
 */
import { formatUsd, MarketError, type NetworkName, openClaimStatuses, withFeeOnTop } from '@market/contract';
import type { Call, HandlersOf } from '../../../access/call.ts';
import { principalOf } from '../../../access/caller.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';
import { escrow } from '../../ledger/index.ts';
import { awardBounty } from '../../orders/index.ts';
import {
  asPresenter,
  claimPayment,
  maySpendFrom,
  networkOfReference,
  paymentDetails,
  refuseUsedPayment,
  surplusOf,
  type VerifiedPayment,
  verifyPayment,
  wrongPayer,
} from '../../payments/index.ts';
import { appendBountyEvents } from '../append-events.ts';
import type { BountiesContext } from '../bounties-context.ts';
import { requireBountyStep, requireClaimStep, requireHireable, standingOf } from '../decisions.ts';
import { endStakes } from '../end-stakes.ts';
import { holdWindow } from '../hold-window.ts';
import { actionsOnClaim, posterActions } from '../next-actions.ts';
import { type BountyRow, type ClaimRow, closeClaims, findClaim, listClaims, moveBounty } from '../repository.ts';
import { requireBounty, requireLockedBounty, requirePoster } from '../viewers.ts';

export function acceptClaim(context: BountiesContext): HandlersOf<'bounties'>['accept'] {
  return async ({ id, claim_id: claimId, client_wallet: payerText, escrow_tx_hash: reference, payment_chain: chain }, call) => {
    const { db } = context.database;
    // Read the claim before the bounty. If the claim is decided, so is the bounty then, and a repeated call gets the first answer.
    const claim = await findClaim(db, id, claimId);
    const bounty = await requireBounty(db, id);
    requirePoster(call.caller, bounty);
    const network = networkOfReference(chain, reference);
    const presenter = await asPresenter(db, call.caller, network);
    const request = { network, reference, purpose: 'bounty', subjectId: bounty.orderId, presenter } as const;
    const payer = canonicalWallet(payerText)?.address ?? payerText;
    const expectedMicros = withFeeOnTop(bounty.budgetMicros);
    try {
      requireBountyStep(bounty, 'accept', 'poster', posterActions(bounty));
      requireAcceptable(bounty, claim);
      if (!maySpendFrom(presenter, payer)) throw await wrongPayer(context, { ...request, payer, expectedMicros }, NOT_YOUR_WALLET);
    } catch (refusal) {
      // Refuse a used reference before anything else. A repeated call gets the first answer.
      const paid = context.chains.has(network) ? await refuseUsedPayment(context, request) : undefined;
      if (paid !== undefined && bounty.acceptedClaimId === claimId) return answer(bounty, claimId, network, paid);
      throw refusal;
    }
    const payment = await verifyPayment(context, {
      ...request,
      expectedMicros,
      payers: [payer],
      payableSince: bounty.createdAt,
      gone: call.gone,
      onUnfinal: () => holdWindow(context, bounty.id, claimId),
    });
    return await call.commit((tx) => accept(tx, context, call, id, claimId, network, payment));
  };
}

const NOT_YOUR_WALLET = 'client_wallet must be a wallet that signed this request, has a session, or is linked to your account.';

async function accept(
  tx: Tx,
  context: BountiesContext,
  call: Call,
  id: string,
  claimId: string,
  network: NetworkName,
  payment: VerifiedPayment,
) {
  const bounty = await requireLockedBounty(tx, id);
  const paid = paymentDetails(payment);
  // Of two identical concurrent calls the second finds the bounty accepted.
  const isRepeated = bounty.paymentNetwork === network && bounty.paymentReference === paid.reference;
  if (isRepeated && bounty.acceptedClaimId === claimId) return answer(bounty, claimId, network, paid);
  const to = requireBountyStep(bounty, 'accept', 'poster', posterActions(bounty));
  const claims = await listClaims(tx, [bounty.id]);
  const claim = requireAcceptable(
    bounty,
    claims.find((one) => one.id === claimId),
  );
  const at = bounty.now;

  await claimPayment(tx, context, payment, escrow(network, bounty.orderId));
  const actor = principalOf(call.caller, call.clientAddress);
  const money = { network, reference: paid.reference, payer: paid.payer, paidMicros: paid.priceMicros };
  await awardBounty(tx, context, bounty, { agentId: claim.agentId, actor }, money, at);
  reachCrashPoint('bounty.after_order');
  await closeClaims(tx, bounty.id, claim.id, at);
  await moveBounty(tx, bounty.id, { from: bounty.status, to, at }, { acceptedClaimId: claim.id });
  reachCrashPoint('bounty.after_claims');
  const losers = claims.filter((one) => openClaimStatuses.includes(one.status) && one.id !== claim.id);
  await announceAcceptance(tx, context, bounty, claim, losers);
  await endStakes(tx, context, bounty, losers, { after: 'claim', command: 'reject' });
  return answer(bounty, claim.id, network, paid);
}

/** Announces the acceptance. The other claimants do not learn the id of the winner's order. */
async function announceAcceptance(
  tx: Tx,
  context: BountiesContext,
  bounty: BountyRow,
  winner: ClaimRow,
  losers: readonly ClaimRow[],
): Promise<void> {
  const { brief, deadlineHours, orderId } = bounty;
  await appendBountyEvents(tx, context, bounty, [
    {
      type: 'bounty.accepted',
      agentId: winner.agentId,
      claimants: [winner],
      forPoster: true,
      orderId,
      data: { bounty_id: bounty.id, brief, budget_usd: formatUsd(bounty.budgetMicros), deadline_hours: deadlineHours },
    },
    ...losers.map((loser) => ({
      type: 'bounty.claim_rejected' as const,
      agentId: loser.agentId,
      claimants: [loser],
      forPoster: false,
      data: { bounty_id: bounty.id },
    })),
  ]);
}

function requireAcceptable(bounty: BountyRow, claim: ClaimRow | undefined): ClaimRow {
  if (claim === undefined) throw new MarketError('claim_not_found');
  requireClaimStep(bounty, claim, 'accept', 'poster', [...actionsOnClaim(bounty, claim), ...posterActions(bounty)]);
  requireHireable(standingOf(claim));
  return claim;
}

function answer(
  { id, orderId }: Pick<BountyRow, 'id' | 'orderId'>,
  claimId: string,
  network: NetworkName,
  paid: Parameters<typeof surplusOf>[1],
) {
  return { data: { bounty_id: id, order_id: orderId, claim_id: claimId as ClaimRow['id'] }, surplus: surplusOf(network, paid) };
}
