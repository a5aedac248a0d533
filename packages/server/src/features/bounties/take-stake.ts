/** Takes the stake of a claim: its terms, the transfer that pays it, and its booking. */
import { createHash } from 'node:crypto';
import { type AgentId, formatUsd, MarketError, type NetworkName, type NextAction, networkFacts, type PaymentChain } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { escrow } from '../ledger/index.ts';
import { asPresenter, claimPayment, networkOfReference, paymentDetails, type VerifiedPayment, verifyPayment } from '../payments/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import type { BountyRow, ClaimRow } from './repository.ts';
import { insertStake } from './stakes-repository.ts';

/** A transfer that the claimant names as the stake. */
export interface NamedStake {
  readonly id: string;
  readonly network: NetworkName;
  readonly reference: string;
}

export interface PaidStake extends NamedStake {
  readonly payment: VerifiedPayment;
}

/**
 * Derives the stake's id from bounty, agent and transfer. So the same transfer repeats the same claim and conflicts with any other. Each
 * stake of an agent that claims again is returned separately.
 */
export function nameStake(
  { chains }: Pick<BountiesContext, 'chains'>,
  { bountyId, agentId }: { readonly bountyId: string; readonly agentId: AgentId },
  chainName: PaymentChain | undefined,
  text: string,
): NamedStake {
  const network = networkOfReference(chainName, text);
  const chain = chains.get(network);
  if (chain === undefined) throw new MarketError('network_not_available');
  const reference = chain.canonicalReference(text);
  if (reference === undefined) throw new MarketError('invalid_payment_reference');
  const name = ['claim stake', bountyId, agentId, chain.caip2, reference].join(' ');
  return { id: `stk_${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 40)}`, network, reference };
}

/** True if this claim was made with this transfer. After a withdrawal or lapse the stake went back, so it cannot pay for a claim again. */
export function isMadeWith(claim: ClaimRow | undefined, stake: NamedStake | undefined): boolean {
  return stake !== undefined && claim !== undefined && claim.stakeId === stake.id && !['withdrawn', 'lapsed'].includes(claim.status);
}

/** Asks the chain about the transfer, without spending it. The payer must be a wallet that the caller may spend from: the stake returns there. */
export async function verifyStake(context: BountiesContext, call: Call, bounty: BountyRow, stake: NamedStake): Promise<PaidStake> {
  if (bounty.claimStakeMicros === 0n) {
    const message = 'This bounty takes no stake. Claim without stake_tx_hash. Nothing was used up.';
    throw new MarketError('invalid_input', { message, data: { issues: [{ field: 'stake_tx_hash', message }] } });
  }
  const { id: subjectId, network, reference } = stake;
  const presenter = await asPresenter(context.database.db, call.caller, network);
  const payment = await verifyPayment(context, {
    network,
    reference,
    purpose: 'claim_stake',
    subjectId,
    expectedMicros: bounty.claimStakeMicros,
    payers: presenter.wallets.map(({ address }) => address),
    presenter,
    payableSince: bounty.createdAt,
    gone: call.gone,
  });
  return { ...stake, payment };
}

/** Books the stake in the transaction of the claim, after the claim was stored. */
export async function takeStake(tx: Tx, context: BountiesContext, { id: claimId }: Pick<ClaimRow, 'id'>, stake: PaidStake, at: Date) {
  const { id, network, payment } = stake;
  // The transfer paid for an earlier claim that was withdrawn or lapsed, and the stake went back.
  if (payment.kind === 'repeated') throw new MarketError('payment_already_used');
  await claimPayment(tx, context, payment, escrow(network, id));
  const { reference, payer, priceMicros: amountMicros } = paymentDetails(payment);
  await insertStake(tx, { id, claimId, network, reference, payer, amountMicros, paidAt: at });
  reachCrashPoint('stake.after_intake');
}

/** The refusal that states the terms of the stake: amount, addresses, and the next call. */
export function stakeRequired({ chains }: Pick<BountiesContext, 'chains'>, bounty: BountyRow, next: readonly NextAction[]): MarketError {
  const amount = formatUsd(bounty.claimStakeMicros);
  return new MarketError('claim_stake_required', {
    message: `This bounty takes a stake of ${amount} USDC with each claim. Send it from a wallet of yours, then claim again with stake_tx_hash. Nothing was changed.`,
    data: {
      stake: {
        amount_usd: amount,
        networks: [...chains.values()].map((chain) => ({
          payment_chain: networkFacts[chain.network].chain,
          pay_to: chain.treasury,
          usdc_address: chain.usdcAddress,
        })),
      },
      next_actions: next,
    },
  });
}
