/**
 * Verifies a Solana payment with the official scheme and our own RPC client, plus one rule: no instruction may use the fee payer. Each
 * payment gets a new scheme, so that a silent node is not blamed on the payer.
 */
import type { Address } from '@solana/addresses';
import { getCompiledTransactionMessageDecoder } from '@solana/transaction-messages';
import type { PaymentPayload } from '@x402/core/types';
import type { FacilitatorSvmSigner } from '@x402/svm';
import { z } from 'zod';
import { ChainUnavailable } from '../chains/chain.ts';
import { type JsonRpcClient, RpcError } from '../chains/json-rpc.ts';
import type { PartialTransaction } from './exact-payload.ts';
import type { StandardPayment, Verified } from './facilitator.ts';
import { refusal } from './refusal.ts';

/** A transfer with a memo uses about 20,000 units; wallets add assertions of their own. */
const MOST_COMPUTE_UNITS = 60_000;
const MOST_MICRO_LAMPORTS = 100_000;
const MOST_SIGNATURES = 2;
/** Maximum cost of one settlement: two signatures and the price of the units. */
export const MOST_LAMPORTS = BigInt(MOST_SIGNATURES * 5_000 + (MOST_COMPUTE_UNITS * MOST_MICRO_LAMPORTS) / 1_000_000);

export async function verifyExactSvm(
  rpc: JsonRpcClient,
  feePayer: Address,
  { requirement }: StandardPayment,
  partial: PartialTransaction,
): Promise<Verified> {
  if (touches(partial, feePayer)) return { valid: false, ...refusal('invalid_exact_svm_payload_transaction_fee_payer_transferring_funds') };
  const { ExactSvmScheme } = await import('@x402/svm/exact/facilitator');
  const faults: ChainUnavailable[] = [];
  const scheme = new ExactSvmScheme(createReader(rpc, feePayer, faults), undefined, {
    maxComputeUnits: MOST_COMPUTE_UNITS,
    maxPriorityFeeMicroLamports: MOST_MICRO_LAMPORTS,
    maxRequiredSignatures: MOST_SIGNATURES,
  });
  const payload: PaymentPayload = { x402Version: 2, accepted: requirement, payload: { transaction: partial.wire } };
  const { isValid, payer = '', invalidReason = 'unexpected_verify_error' } = await scheme.verify(payload, requirement);
  if (isValid) return { valid: true, payer };
  if (faults[0] !== undefined) throw faults[0];
  // Some reasons have an explanation after a colon; the code is the part before it.
  return { valid: false, ...refusal(invalidReason.split(':', 1)[0] ?? invalidReason) };
}

/**
 * Whether an instruction names the fee payer. It may only be the first account: otherwise the instruction could spend its funds, for
 * example as rent.
 */
function touches({ transaction }: PartialTransaction, feePayer: Address): boolean {
  try {
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const at = message.staticAccounts.indexOf(feePayer);
    return at >= 0 && message.instructions.some(({ accountIndices = [] }) => accountIndices.includes(at));
  } catch {
    // The scheme itself refuses bytes that are no message.
    return false;
  }
}

const simulation = z.object({ value: z.object({ err: z.unknown() }) });

function createReader(rpc: JsonRpcClient, feePayer: Address, faults: ChainUnavailable[]): FacilitatorSvmSigner {
  return {
    getAddresses: () => [feePayer],
    async simulateTransaction(transaction) {
      const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false, replaceRecentBlockhash: false };
      try {
        const { value } = await rpc.call('simulateTransaction', [transaction, options], simulation);
        if (value.err !== null && value.err !== undefined) throw new Error(JSON.stringify(value.err));
      } catch (error) {
        const fault = toFault(error);
        if (fault !== undefined) faults.push(fault);
        throw error;
      }
    },
    signTransaction: notHere,
    sendTransaction: notHere,
    confirmTransaction: notHere,
  };
}

const INVALID_PARAMS = -32602;

/** Undefined if the node judged the transaction invalid, which is an answer; every other error is the node's fault. */
function toFault(error: unknown): ChainUnavailable | undefined {
  if (error instanceof ChainUnavailable) return error;
  if (!(error instanceof RpcError) || error.code === INVALID_PARAMS) return undefined;
  return new ChainUnavailable('solana-mainnet', `the node refused simulateTransaction: ${error.message}`, error);
}

async function notHere(): Promise<never> {
  throw new Error('Verifying a payment signs and sends nothing.');
}
