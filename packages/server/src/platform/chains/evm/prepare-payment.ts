/** Prepares a payment to the treasury for a wallet to sign, and broadcasts payments that wallets only signed. */
import type { Hex, TransactionSerialized } from 'viem';
import { decodeFunctionData, keccak256, numberToHex, parseAbi, parseTransaction } from 'viem/utils';
import { ChainUnavailable, type PreparedPayment, TransferRefused } from '../chain.ts';
import { estimateGas, readNativeBalance, readTransactionCount } from './ask-node.ts';
import { broadcast } from './broadcast.ts';
import { readDataFee } from './data-fee.ts';
import { canonicalAddress, type EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { readPrices } from './fees.ts';
import { encodePlainTransfer, readUsdcBalance } from './usdc.ts';

/** Gas of a transfer to an account without USDC; used when the wallet lacks the money for a simulation. */
const USUAL_GAS = 65_000n;
const SIGNED_BYTES = 192n;

export async function preparePayment(context: EvmContext, payer: Hex, micros: bigint, note = ''): Promise<PreparedPayment> {
  const { chainId, usdc, treasury } = context;
  const data: Hex = `${encodePlainTransfer(treasury, micros)}${Buffer.from(note, 'utf8').toString('hex')}`;
  const [usdcMicros, native, nonce, { nextBaseFee, tip }, dataFee, trial] = await Promise.all([
    readUsdcBalance(context, payer),
    readNativeBalance(context, payer),
    readTransactionCount(context, payer, 'pending'),
    readPrices(context),
    readDataFee(context, SIGNED_BYTES),
    tryGas(context, payer, data),
  ]);
  const gas = (trial * 12n) / 10n;
  // Twice the base fee outlasts six full blocks; the chain takes only what it needs.
  const maxFeePerGas = 2n * nextBaseFee + tip;
  return {
    usdcMicros,
    native,
    fee: trial * (nextBaseFee + tip) + dataFee,
    highestFee: gas * maxFeePerGas + dataFee,
    transaction: {
      kind: 'evm',
      chainId,
      from: payer,
      to: usdc,
      data,
      gas: numberToHex(gas),
      maxFeePerGas: numberToHex(maxFeePerGas),
      maxPriorityFeePerGas: numberToHex(tip),
      nonce: Number(nonce),
    },
  };
}

async function tryGas(context: EvmContext, from: Hex, data: Hex): Promise<bigint> {
  try {
    return await estimateGas(context, { from, to: context.usdc, data });
  } catch (error) {
    // Nodes word this refusal differently when a wallet cannot pay, so the balances show what is missing.
    if (error instanceof ExecutionReverted || (error instanceof ChainUnavailable && /insufficient/i.test(error.message))) return USUAL_GAS;
    throw error;
  }
}

const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);
const HEX = /^0x[0-9a-fA-F]{2,4000}$/;

export async function broadcastForeign(context: EvmContext, signed: string): Promise<string> {
  if (!HEX.test(signed)) throw notOurs();
  const raw = signed.toLowerCase() as Hex;
  requirePayment(context, raw);
  const reference = keccak256(raw);
  await broadcast(context, { reference, bytes: Buffer.from(raw.slice(2), 'hex').toString('base64'), validity: '' });
  return reference;
}

/** Only payments to the treasury are broadcast: this is no public node. */
function requirePayment({ chainId, usdc, treasury }: EvmContext, raw: Hex): void {
  try {
    const transaction = parseTransaction(raw as TransactionSerialized);
    const { args } = decodeFunctionData({ abi, data: transaction.data ?? '0x' });
    const isPayment = transaction.chainId === chainId && canonicalAddress(transaction.to ?? '') === usdc && args[0] === treasury;
    if (isPayment && transaction.r !== undefined) return;
  } catch {
    // The bytes are no transaction.
  }
  throw notOurs();
}

function notOurs(): TransferRefused {
  return new TransferRefused('destination', 'These bytes are no signed transfer of USDC to the treasury.');
}
