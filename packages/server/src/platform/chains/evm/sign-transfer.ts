/**
 * Signs a transfer of the treasury: an authorisation (EIP-3009) named after the intent, inside a transaction of the treasury's own
 * account. USDC takes an authorisation's name once, so several signed transactions for one intent pay once between them.
 */
import type { Hex } from 'viem';
import { formatEther, keccak256 } from 'viem/utils';
import { ChainUnavailable, type OutgoingTransfer, type SignedTransfer, TransferRefused } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import { type Call, estimateGas, readNativeBalance, readTransactionCount, requireBlock } from './ask-node.ts';
import { canonicalAddress, type EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { explainRefusal } from './explain-refusal.ts';
import { estimateFees, type Fees } from './fees.ts';
import { authorizationNonce, authorizeTransfer, isAuthorizationUsed } from './usdc.ts';

/**
 * Whoever sees an authorisation can hand it in, also out of a transaction that failed. So it lapses: bytes that were given up cannot
 * pay for ever, and bytes that are stuck for whatever reason are signed anew.
 */
const AUTHORIZATION_SECONDS = 3_600n;
/** What USDC needs was estimated for today's state, which may change until the transaction's turn. */
const GAS_MARGIN_PERCENT = 130n;
const GAS_OF_SPENT_BYTES = 150_000n;

export async function signTransfer(context: EvmContext, transfer: OutgoingTransfer): Promise<SignedTransfer> {
  const signer = requireSigner(context);
  requirePayable(context, transfer);
  const { timestamp } = await requireBlock(context, 'latest');
  const data = await authorizeTransfer(context, signer, transfer, timestamp + AUTHORIZATION_SECONDS);
  const gas = await findGas(context, transfer, { from: context.treasury, to: context.usdc, data });
  const fees = await estimateFees(context);
  if (gas === 'paid') return await sign(context, signer, { data, gas: GAS_OF_SPENT_BYTES, fees, nonce: await findSpentNonce(context) });
  await requireGasMoney(context, gas * fees.maxFeePerGas);
  return await sign(context, signer, { data, gas, fees, nonce: await readTransactionCount(context, context.treasury, 'pending') });
}

function requireSigner({ network, signer, treasury }: EvmContext): EvmSigner {
  // Not a refusal: the transfer is as good as before and waits until a process with the key takes it.
  if (signer === undefined) throw new ChainUnavailable(network, `this process has no key of the treasury ${treasury}`);
  return signer;
}

function requirePayable({ network, treasury, usdc }: EvmContext, { destination, usdcMicros }: OutgoingTransfer): void {
  const address = canonicalAddress(destination);
  if (address === undefined || BigInt(address) === 0n)
    throw new TransferRefused('destination', `${destination} is no address on ${network}.`);
  if (address === treasury || address === usdc) throw new TransferRefused('destination', `${destination} is not a wallet to pay to.`);
  if (usdcMicros <= 0n) throw new TransferRefused('other', 'There is nothing to transfer.');
}

/** `paid` when an earlier attempt for this intent has landed already. */
async function findGas(context: EvmContext, transfer: OutgoingTransfer, call: Call): Promise<bigint | 'paid'> {
  try {
    return ((await estimateGas(context, call)) * GAS_MARGIN_PERCENT) / 100n;
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
    // Before any other reason: a wallet may have been blacklisted, or the treasury emptied, after it was paid.
    if (await isAuthorizationUsed(context, authorizationNonce(transfer), 'latest')) return 'paid';
    throw await explainRefusal(context, transfer, error);
  }
}

/** Bytes with a nonce that is gone cost nothing and do nothing: looking for their outcome finds the attempt that paid. */
async function findSpentNonce(context: EvmContext): Promise<bigint> {
  const next = await readTransactionCount(context, context.treasury, 'latest');
  return next === 0n ? 0n : next - 1n;
}

async function requireGasMoney(context: EvmContext, needed: bigint): Promise<void> {
  const { network, treasury } = context;
  const balance = await readNativeBalance(context, treasury);
  if (balance >= needed) return;
  const message = `The treasury holds ${formatEther(balance)} ETH on ${network}, a transfer may cost ${formatEther(needed)}. Send ETH to ${treasury}.`;
  throw new TransferRefused('insufficient_native', message);
}

interface Transaction {
  readonly data: Hex;
  readonly gas: bigint;
  readonly fees: Fees;
  readonly nonce: bigint;
}

async function sign(context: EvmContext, signer: EvmSigner, { data, gas, fees, nonce }: Transaction): Promise<SignedTransfer> {
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: context.chainId,
    nonce: Number(nonce),
    to: context.usdc,
    value: 0n,
    data,
    gas,
    ...fees,
  });
  return { reference: keccak256(raw), bytes: Buffer.from(raw.slice(2), 'hex').toString('base64'), validity: String(nonce) };
}
