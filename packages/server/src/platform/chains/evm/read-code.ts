/** The code at an address. Keys have none, or only code that names the contract they delegate to (EIP-7702). */
import type { Hex } from 'viem';
import { askNode } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { bytes } from './node-answers.ts';

const DELEGATED = '0xef0100';

export function readCode(context: EvmContext, address: Hex): Promise<Hex> {
  return askNode(context, 'eth_getCode', [address, 'latest'], bytes);
}

export async function isContract(context: EvmContext, address: string): Promise<boolean> {
  const code = await readCode(context, address as Hex);
  return code !== '0x' && !code.startsWith(DELEGATED);
}
