/** Settles EIP-3009 payments on one EVM network. The authorisation decides whether a payment happened, never our transaction alone. */
import type { Hex } from 'viem';
import { ChainUnavailable } from '../chains/chain.ts';
import { readNativeBalance, readTransactionCount, requireBlock } from '../chains/evm/ask-node.ts';
import { readDataFee } from '../chains/evm/data-fee.ts';
import type { EvmContext, UsdcDomain } from '../chains/evm/evm-context.ts';
import { findInclusion } from '../chains/evm/inclusion.ts';
import { findUse, isUsed, showsTransfer } from './evm-authorization.ts';
import { announce, type EvmSponsor, findCost, isKnownToNode, offerSponsorFees, readAccountNonce, sendAgain } from './evm-broadcast.ts';
import { readUsdcDomain } from './evm-domain.ts';
import { type AuthorizedTransfer, isPermit2, readAuthorizedTransfer } from './exact-payload.ts';
import type { Settled, StandardPayment, Verified } from './facilitator.ts';
import { nameAuthorization } from './payment-identity.ts';
import type { PendingSettlement } from './pending-settlements.ts';
import { pollUntil } from './poll-until.ts';
import { refusal } from './refusal.ts';
import type { SettlementPace, Settler } from './settler.ts';
import { diagnose, verifyExactEvm } from './verify-exact-evm.ts';

/** Gas of a settlement for an ordinary wallet, rounded up, and its size on Ethereum. */
const USUAL_GAS = 120_000n;
const TRANSACTION_BYTES = 448n;
/** How long to wait for the receipt of a transaction whose account nonce is already used. */
const LATE_RECEIPT_MS = 1_000;

export function createEvmSettler(context: EvmContext, sponsor: EvmSponsor, pace: SettlementPace): Settler {
  let domain: UsdcDomain | undefined;
  const settlement = { context, sponsor, pace };
  return {
    network: context.network,
    get extra() {
      return domain && { name: domain.name, version: domain.version };
    },
    nameOf: nameAuthorization,
    verify: (payment) => verify(settlement, payment),
    settle: (payment, identity) => settle(settlement, payment, identity),
    findPreempted: (payment) => findPreempted(context, payment),
    async countAffordable() {
      domain ??= await readUsdcDomain(context);
      const [fees, dataFee, balance] = await Promise.all([
        offerSponsorFees(context),
        readDataFee(context, TRANSACTION_BYTES),
        readNativeBalance(context, sponsor.signer.address),
      ]);
      return Number(balance / (USUAL_GAS * fees.maxFeePerGas + dataFee));
    },
  };
}

interface Settlement {
  readonly context: EvmContext;
  readonly sponsor: EvmSponsor;
  readonly pace: SettlementPace;
}

async function verify({ context, sponsor }: Settlement, payment: StandardPayment): Promise<Verified> {
  const transfer = readTransfer(context, payment);
  if ('reason' in transfer) return { valid: false, ...transfer };
  return await verifyExactEvm(context, sponsor.signer.address, payment, transfer);
}

/** The payer's authorisation, or the reason to refuse it without asking the chain. */
export function readTransfer({ usdc, treasury, chainId }: EvmContext, { requirement, payload }: StandardPayment) {
  if (requirement.scheme !== 'exact') return refusal('invalid_scheme');
  if (requirement.network !== `eip155:${chainId}`) return refusal('invalid_network');
  // The sponsor pays only for transfers of our token to our treasury.
  const isOurs = sameAddress(requirement.asset, usdc) && sameAddress(requirement.payTo, treasury);
  if (!isOurs) return refusal('invalid_payment_requirements');
  if (isPermit2(payload)) return refusal('unsupported_payload_type');
  const transfer = readAuthorizedTransfer(payload);
  if (transfer === undefined) return refusal('invalid_payload');
  // Repeats the scheme's check, for calls that resume a settlement without verifying it again.
  const { to, value } = transfer.authorization;
  if (to !== treasury) return refusal('invalid_exact_evm_recipient_mismatch');
  if (value !== requirement.amount) return refusal('invalid_exact_evm_payload_authorization_value_mismatch');
  return transfer;
}

function sameAddress(one: string, other: Hex): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function settle(settlement: Settlement, payment: StandardPayment, identity: string): Promise<Settled> {
  const { context, sponsor } = settlement;
  const transfer = readTransfer(context, payment);
  if ('reason' in transfer) return { state: 'failed', ...transfer };
  const known = await sponsor.pendings.find(identity);
  if (known !== undefined) return await resume(settlement, payment, transfer, { identity, known });
  const begun = await begin(settlement, payment, transfer, { identity });
  // Another process may have sent this payment in the meantime: then its transaction used the authorisation.
  const meanwhile = begun.state === 'failed' ? await sponsor.pendings.find(identity) : undefined;
  return meanwhile === undefined ? begun : await resume(settlement, payment, transfer, { identity, known: meanwhile });
}

async function resume(
  settlement: Settlement,
  payment: StandardPayment,
  transfer: AuthorizedTransfer,
  { identity, known }: { readonly identity: string; readonly known: PendingSettlement },
): Promise<Settled> {
  try {
    return await goOn(settlement, payment, transfer, { identity, known });
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { state: 'unknown', reference: known.reference, reason: 'settlement_pending' };
  }
}

async function begin(
  settlement: Settlement,
  payment: StandardPayment,
  transfer: AuthorizedTransfer,
  { identity, supersedes }: { readonly identity: string; readonly supersedes?: string },
): Promise<Settled> {
  const { context, sponsor } = settlement;
  const verdict = await verifyExactEvm(context, sponsor.signer.address, payment, transfer);
  // Only the earlier transaction of this payment is known to be dead.
  const failed = { state: 'failed', ...(supersedes === undefined ? {} : { reference: supersedes }) } as const;
  if (!verdict.valid) return { ...failed, reason: verdict.reason, message: verdict.message };
  const cost = await findCost(context, sponsor.signer, transfer);
  if (cost === undefined) return { ...failed, ...refusal(await diagnose(context, payment.requirement.amount, transfer)) };
  const patienceMs = settlement.pace.turnMs;
  const pending = await announce(context, sponsor, {
    identity,
    transfer,
    cost,
    patienceMs,
    ...(supersedes === undefined ? {} : { supersedes }),
  });
  return await awaitOutcome(settlement, transfer, pending);
}

/** Continues after an earlier call signed a transaction for this payment: finds its outcome, or sends it again. */
async function goOn(
  settlement: Settlement,
  payment: StandardPayment,
  transfer: AuthorizedTransfer,
  { identity, known }: { readonly identity: string; readonly known: PendingSettlement },
): Promise<Settled> {
  const { context, sponsor } = settlement;
  const decided = await findOutcome(context, transfer, known);
  if (decided !== undefined) return decided;
  const spent = (await readTransactionCount(context, sponsor.signer.address, 'latest')) > readAccountNonce(known);
  // Polls for a while: the transaction may have landed between the two calls, and a node may learn of its receipt last.
  if (spent)
    return (
      (await pollUntil(LATE_RECEIPT_MS, () => findOutcome(context, transfer, known))) ??
      (await begin(settlement, payment, transfer, { identity, supersedes: known.reference }))
    );
  if (await isLapsed(context, transfer)) {
    return { state: 'failed', reference: known.reference, ...refusal('invalid_exact_evm_payload_authorization_valid_before') };
  }
  if (!(await isKnownToNode(context, known))) await sendAgain(context, known);
  return await awaitOutcome(settlement, transfer, known);
}

async function awaitOutcome({ context, pace }: Settlement, transfer: AuthorizedTransfer, pending: PendingSettlement): Promise<Settled> {
  const outcome = await pollUntil(pace.confirmationMs, () => findOutcome(context, transfer, pending));
  return outcome ?? { state: 'unknown', reference: pending.reference, reason: 'settlement_pending' };
}

/** Undefined while the outcome is open. */
async function findOutcome(context: EvmContext, transfer: AuthorizedTransfer, pending: PendingSettlement): Promise<Settled | undefined> {
  const payer = transfer.authorization.from;
  const inclusion = await findInclusion(context, pending.reference as Hex);
  if (inclusion !== undefined && showsTransfer(context, inclusion, transfer)) {
    return { state: 'settled', reference: inclusion.reference, payer };
  }
  const use = await findUse(context, transfer);
  if (use !== undefined) return { state: 'settled', reference: use.reference, payer };
  if (inclusion === undefined) return undefined;
  const reason = (await isUsed(context, transfer, 'latest')) ? 'nonce_already_used' : 'transaction_failed';
  return { state: 'failed', reference: pending.reference, ...refusal(`invalid_exact_evm_${reason}`) };
}

/** An authorisation that is unused and expired as of a final block can never be used. */
async function isLapsed(context: EvmContext, transfer: AuthorizedTransfer): Promise<boolean> {
  const final = await requireBlock(context, context.finalTag);
  return final.timestamp >= BigInt(transfer.authorization.validBefore) && !(await isUsed(context, transfer, final.number));
}

/** Needs no sponsor, so it also serves deployments whose settlements a remote service makes. */
export async function findPreempted(context: EvmContext, payment: StandardPayment): Promise<string | undefined> {
  const transfer = readTransfer(context, payment);
  return 'reason' in transfer ? undefined : (await findUse(context, transfer))?.reference;
}
