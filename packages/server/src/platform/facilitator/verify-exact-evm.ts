/**
 * Verifies an EIP-3009 payment with the official scheme and our own RPC client. The scheme blames the payer when a node does not answer. So
 * each payment gets a new scheme, and a missing answer, recorded here, overrides its verdict.
 */
import type { PaymentPayload } from '@x402/core/types';
import type { FacilitatorEvmSigner } from '@x402/evm';
import type { Abi, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { ChainUnavailable } from '../chains/chain.ts';
import { askNode, callContract, requireBlock } from '../chains/evm/ask-node.ts';
import type { EvmContext } from '../chains/evm/evm-context.ts';
import { bytes } from '../chains/evm/node-answers.ts';
import { readUsdcBalance } from '../chains/evm/usdc.ts';
import { isUsed } from './evm-authorization.ts';
import type { AuthorizedTransfer } from './exact-payload.ts';
import type { StandardPayment, Verified } from './facilitator.ts';
import { refusal } from './refusal.ts';

/** Limits the cost of one settlement. A plain key needs about 90,000; the rest is for contract wallets. */
export const MOST_SETTLEMENT_GAS = 400_000n;
/** Limits the gas of untrusted code in a contract wallet. */
const MOST_WALLET_GAS = 5_000_000n;

const SIMULATION_FAILED = 'invalid_exact_evm_transaction_simulation_failed';

export async function verifyExactEvm(
  context: EvmContext,
  sponsor: Hex,
  { requirement }: StandardPayment,
  transfer: AuthorizedTransfer,
): Promise<Verified> {
  // Loading takes a sixth of a second, so load it on first use.
  const { ExactEvmScheme } = await import('@x402/evm/exact/facilitator');
  const faults: ChainUnavailable[] = [];
  const scheme = new ExactEvmScheme(createReader(context, sponsor, faults), { eip6492AllowedFactories: [] });
  const payload: PaymentPayload = { x402Version: 2, accepted: requirement, payload: { ...transfer } };
  const { isValid, invalidReason = 'unexpected_verify_error' } = await scheme.verify(payload, requirement);
  if (isValid) return { valid: true, payer: transfer.authorization.from };
  if (faults[0] !== undefined) throw faults[0];
  const reason = invalidReason === SIMULATION_FAILED ? await diagnose(context, requirement.amount, transfer) : invalidReason;
  return { valid: false, ...refusal(reason) };
}

function createReader(context: EvmContext, sponsor: Hex, faults: ChainUnavailable[]): FacilitatorEvmSigner {
  const noting = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof ChainUnavailable) faults.push(error);
      throw error;
    }
  };
  const codes = new Map<Hex, Promise<Hex>>();
  return {
    getAddresses: () => [sponsor],
    async readContract({ address, abi, functionName, args = [] }) {
      const call = { abi: abi as Abi, functionName, args };
      const isUsdc = address.toLowerCase() === context.usdc.toLowerCase();
      const question = { from: sponsor, to: address, data: encodeFunctionData(call), gas: isUsdc ? MOST_SETTLEMENT_GAS : MOST_WALLET_GAS };
      return decodeFunctionResult({ ...call, data: await noting(callContract(context, question)) });
    },
    async getCode({ address }) {
      // The answer is known. Asked anyway, the scheme may never await the answer, and a fault would end the process as an unhandled
      // rejection.
      if (address === context.usdc) return '0x01';
      const asked = codes.get(address) ?? noting(askNode(context, 'eth_getCode', [address, 'latest'], bytes));
      codes.set(address, asked);
      return await asked;
    },
    verifyTypedData: notHere,
    writeContract: notHere,
    sendTransaction: notHere,
    waitForTransactionReceipt: notHere,
  };
}

async function notHere(): Promise<never> {
  throw new Error('Verifying a payment signs and sends nothing.');
}

/** Reads from the chain's state why USDC would refuse: the scheme's own diagnosis needs a helper contract that some chains lack. */
export async function diagnose(context: EvmContext, amount: string, transfer: AuthorizedTransfer): Promise<string> {
  const { from, validAfter, validBefore } = transfer.authorization;
  const [used, balance, { timestamp }] = await Promise.all([
    isUsed(context, transfer, 'latest'),
    readUsdcBalance(context, from),
    requireBlock(context, 'latest'),
  ]);
  if (used) return 'invalid_exact_evm_nonce_already_used';
  if (balance < BigInt(amount)) return 'invalid_exact_evm_insufficient_balance';
  // The chain's clock decides; the scheme compared with the machine's.
  if (timestamp >= BigInt(validBefore)) return 'invalid_exact_evm_payload_authorization_valid_before';
  if (timestamp <= BigInt(validAfter)) return 'invalid_exact_evm_payload_authorization_valid_after';
  return SIMULATION_FAILED;
}
