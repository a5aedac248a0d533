/** Finds addresses that cannot be paid. A contract may be a wallet, but a token contract would lock the money up. */
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { TransferRefused } from '../chain.ts';
import { callContract } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import { requirePayable } from './require-payable.ts';

export async function findUnpayable(context: EvmContext, address: string): Promise<string | undefined> {
  let destination: Hex;
  try {
    destination = requirePayable(context, { intentId: 'none', destination: address, asset: 'usdc', amount: 1n });
  } catch (error) {
    if (error instanceof TransferRefused) return error.message;
    throw error;
  }
  const answers = await Promise.all((['totalSupply', 'decimals'] as const).map((name) => asksForNumber(context, destination, name)));
  return answers.every(Boolean) ? `${address} is a token contract on ${context.network} and not a wallet.` : undefined;
}

const ONE_WORD = /^0x[0-9a-f]{64}$/;

async function asksForNumber(context: EvmContext, to: Hex, functionName: 'totalSupply' | 'decimals'): Promise<boolean> {
  try {
    return ONE_WORD.test(await callContract(context, { to, data: encodeFunctionData({ abi: erc20Abi, functionName }) }));
  } catch (error) {
    if (error instanceof ExecutionReverted) return false;
    throw error;
  }
}
