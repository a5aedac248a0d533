/**
 * USDC leaves by an authorisation (EIP-3009) whose nonce is derived from the intent, submitted by the treasury's own account. USDC accepts
 * that nonce once, so several signed transactions for one intent pay once between them.
 */
import { parseTransaction } from 'viem/utils';
import type { OutgoingTransfer, SignedTransfer } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import { type Call, estimateGas, readNativeBalance, readTransactionCount, requireBlock } from './ask-node.ts';
import { decodeBytes } from './broadcast.ts';
import { type EvmContext, feeAccountOf } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { explainRefusal } from './explain-refusal.ts';
import { estimateFees, raiseFees } from './fees.ts';
import { addGasMargin, requireCoins, sealTransaction } from './treasury-transaction.ts';
import { authorizationNonce, authorizeTransfer, isAuthorizationUsed } from './usdc.ts';

/**
 * Anyone who sees an authorisation can use it, even from a failed transaction. So it expires: abandoned bytes cannot pay forever, and stuck
 * transfers can be signed again.
 */
const AUTHORIZATION_SECONDS = 3_600n;
const GAS_OF_SPENT_BYTES = 150_000n;

export async function signUsdcTransfer(context: EvmContext, signer: EvmSigner, transfer: OutgoingTransfer): Promise<SignedTransfer> {
  const { usdc, feePayer = signer } = context;
  const account = feeAccountOf(context);
  const { timestamp } = await requireBlock(context, 'latest');
  const data = await authorizeTransfer(context, signer, transfer, timestamp + AUTHORIZATION_SECONDS);
  const gas = await findGas(context, transfer, { from: account, to: usdc, data });
  const fees = await estimateFees(context);
  const call = { to: usdc, value: 0n, data, fees };
  if (gas === 'paid') {
    return await sealTransaction(context, feePayer, { ...call, gas: GAS_OF_SPENT_BYTES, nonce: await findSpentNonce(context) });
  }
  requireCoins(context, await readNativeBalance(context, account), gas * fees.maxFeePerGas, account);
  return await sealTransaction(context, feePayer, { ...call, gas, nonce: await readTransactionCount(context, account, 'pending') });
}

/**
 * The same authorisation under the same account nonce with a higher fee, so that one of the two lands and pays. Only for the transaction
 * that blocks the others, which can land once it does.
 */
export async function replaceUsdcTransfer(
  context: EvmContext,
  signer: EvmSigner,
  transfer: OutgoingTransfer,
  stuck: SignedTransfer,
): Promise<SignedTransfer | undefined> {
  const { usdc, feePayer = signer } = context;
  const account = feeAccountOf(context);
  const nonce = BigInt(stuck.validity);
  if ((await readTransactionCount(context, account, 'latest')) !== nonce) return undefined;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(decodeBytes(stuck.bytes) as `0x02${string}`);
  const fees = await raiseFees(context, { maxFeePerGas, maxPriorityFeePerGas });
  if (fees === undefined) return undefined;
  const { timestamp } = await requireBlock(context, 'latest');
  const data = await authorizeTransfer(context, signer, transfer, timestamp + AUTHORIZATION_SECONDS);
  const gas = await findGas(context, transfer, { from: account, to: usdc, data });
  if (gas === 'paid') return undefined;
  requireCoins(context, await readNativeBalance(context, account), gas * fees.maxFeePerGas, account);
  return await sealTransaction(context, feePayer, { to: usdc, value: 0n, data, fees, gas, nonce });
}

/** `paid` when an earlier attempt for this intent has landed already. */
async function findGas(context: EvmContext, transfer: OutgoingTransfer, call: Call): Promise<bigint | 'paid'> {
  try {
    return addGasMargin(await estimateGas(context, call));
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    // Checked first: a wallet may have been blacklisted, or the treasury emptied, after the payment.
    if (await isAuthorizationUsed(context, authorizationNonce(transfer), 'latest')) return 'paid';
    throw await explainRefusal(context, transfer, error);
  }
}

/** Bytes with a used nonce cost nothing and do nothing: reading their outcome finds the attempt that paid. */
async function findSpentNonce(context: EvmContext): Promise<bigint> {
  const next = await readTransactionCount(context, feeAccountOf(context), 'latest');
  return next === 0n ? 0n : next - 1n;
}
