/**
 * Signs a call of the treasury to a venue, in a transaction of its own account. The router refuses an intent that it has carried out, so
 * several signed transactions for one intent move money once between them.
 */
import { formatUsd } from '@market/contract';
import { parseTransaction } from 'viem/utils';
import { ChainUnavailable, type SignedTransfer, TransferRefused } from '../../chain.ts';
import type { EvmSigner } from '../../treasury-signer.ts';
import type { VenueCall } from '../../yield-venues.ts';
import { estimateGas, readNativeBalance, readTransactionCount, requireBlock } from '../ask-node.ts';
import { decodeBytes } from '../broadcast.ts';
import type { EvmContext } from '../evm-context.ts';
import { ExecutionReverted } from '../execution-reverted.ts';
import { estimateFees, type Fees, raiseFees } from '../fees.ts';
import { addGasMargin, requireCoins, sealTransaction } from '../treasury-transaction.ts';
import { isBlacklisted, readUsdcBalance } from '../usdc.ts';
import { readAllowance } from './read-venue.ts';
import { composeCall } from './venue-calldata.ts';
import { isCarriedOut } from './venue-results.ts';

/** Limits how long an abandoned deposit can still happen. */
const AUTHORIZATION_SECONDS = 3_600n;
const GAS_OF_SPENT_BYTES = 150_000n;

export async function signVenueCall(context: EvmContext, call: VenueCall): Promise<SignedTransfer> {
  const signer = requireSigner(context);
  const { timestamp } = await requireBlock(context, 'latest');
  const target = await composeCall(context, signer, call, timestamp + AUTHORIZATION_SECONDS);
  const gas = await findGas(context, call, target);
  const fees = await estimateFees(context);
  if (gas === 'done') {
    // Bytes with a used nonce cost nothing and do nothing: reading their outcome finds the attempt that worked.
    const next = await readTransactionCount(context, context.treasury, 'latest');
    const spent = next === 0n ? 0n : next - 1n;
    return await sealTransaction(context, signer, { ...target, value: 0n, gas: GAS_OF_SPENT_BYTES, fees, nonce: spent });
  }
  return await seal(context, signer, { ...target, gas, fees, nonce: await readTransactionCount(context, context.treasury, 'pending') });
}

/**
 * The same call under the same account nonce with a higher fee. Only for the transaction that blocks the others, which can land once it
 * does.
 */
export async function replaceVenueCall(context: EvmContext, call: VenueCall, stuck: SignedTransfer): Promise<SignedTransfer | undefined> {
  const signer = requireSigner(context);
  const nonce = BigInt(stuck.validity);
  if ((await readTransactionCount(context, context.treasury, 'latest')) !== nonce) return undefined;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(decodeBytes(stuck.bytes) as `0x02${string}`);
  const fees = await raiseFees(context, { maxFeePerGas, maxPriorityFeePerGas });
  if (fees === undefined) return undefined;
  const { timestamp } = await requireBlock(context, 'latest');
  const target = await composeCall(context, signer, call, timestamp + AUTHORIZATION_SECONDS);
  const gas = await findGas(context, call, target);
  return gas === 'done' ? undefined : await seal(context, signer, { ...target, gas, fees, nonce });
}

type Target = Awaited<ReturnType<typeof composeCall>>;

async function seal(
  context: EvmContext,
  signer: EvmSigner,
  transaction: Target & { readonly gas: bigint; readonly fees: Fees; readonly nonce: bigint },
): Promise<SignedTransfer> {
  requireCoins(context, await readNativeBalance(context, context.treasury), transaction.gas * transaction.fees.maxFeePerGas);
  return await sealTransaction(context, signer, { ...transaction, value: 0n });
}

function requireSigner({ network, signer, treasury }: EvmContext): EvmSigner {
  if (signer === undefined) throw new ChainUnavailable(network, `this process has no key of the treasury ${treasury}`);
  return signer;
}

/** `done` when an earlier attempt for this intent has worked already. */
async function findGas(context: EvmContext, call: VenueCall, { to, data }: Target): Promise<bigint | 'done'> {
  try {
    return addGasMargin(await estimateGas(context, { from: context.treasury, to, data }));
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    if (await isCarriedOut(context, call, 'latest')) return 'done';
    throw await explainRefusal(context, call, error);
  }
}

/** Explains a refusal by the state of the chain where possible: a venue's message may say anything. */
async function explainRefusal(context: EvmContext, call: VenueCall, refusal: ExecutionReverted): Promise<TransferRefused> {
  const { network, treasury } = context;
  if (call.kind === 'deposit') {
    const balance = await readUsdcBalance(context, treasury);
    if (balance < call.assets) {
      const message = `The treasury holds ${formatUsd(balance)} USDC on ${network}, the deposit needs ${formatUsd(call.assets)}. Send USDC to ${treasury}.`;
      return new TransferRefused('insufficient_usdc', message, refusal);
    }
    if (await isBlacklisted(context, treasury))
      return new TransferRefused('other', `USDC on ${network} does not let the treasury ${treasury} pay: it is blacklisted.`, refusal);
  }
  if (call.kind === 'redeem' && (await readAllowance(context, call.at)) < call.units)
    return new TransferRefused('account', `The router may not redeem units of ${call.at.venue} for the treasury yet.`, refusal);
  return new TransferRefused('venue', `The venue ${call.at.venue} on ${network} refuses: ${refusal.reason}`, refusal);
}
