/** A transaction of the treasury's account: its gas, the check that the coins for it are there, and its signed bytes. */
import type { Hex } from 'viem';
import { formatEther, keccak256 } from 'viem/utils';
import { type SignedTransfer, TransferRefused } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import type { EvmContext } from './evm-context.ts';
import type { Fees } from './fees.ts';

/** Margin on the gas estimate: the state may change before the transaction runs. */
const GAS_MARGIN_PERCENT = 130n;

export function addGasMargin(gas: bigint): bigint {
  return (gas * GAS_MARGIN_PERCENT) / 100n;
}

export function requireCoins({ network, treasury }: EvmContext, balance: bigint, needed: bigint, account: Hex = treasury): void {
  if (balance >= needed) return;
  const holder = account === treasury ? 'The treasury' : account;
  const message = `${holder} holds ${formatEther(balance)} ETH on ${network}, a transfer may cost ${formatEther(needed)}. Send ETH to ${account}.`;
  throw new TransferRefused('insufficient_native', message);
}

export interface TreasuryTransaction {
  readonly to: Hex;
  readonly value: bigint;
  readonly data: Hex;
  readonly gas: bigint;
  readonly fees: Fees;
  readonly nonce: bigint;
}

export async function sealTransaction(
  { chainId }: EvmContext,
  signer: EvmSigner,
  { fees, nonce, ...call }: TreasuryTransaction,
): Promise<SignedTransfer> {
  const raw = await signer.signTransaction({ type: 'eip1559', chainId, nonce: Number(nonce), ...call, ...fees });
  return { reference: keccak256(raw), bytes: Buffer.from(raw.slice(2), 'hex').toString('base64'), validity: String(nonce) };
}
