/** The data fee of OP chains such as Base: a transaction also pays for its bytes on Ethereum. A contract of the chain states the price. */
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { callContract } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';

const ORACLE = '0x420000000000000000000000000000000000000F';
const WORD_LENGTH = 66;
const abi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)']);

/** 0 on chains without this contract. */
export async function readDataFee(context: EvmContext, transactionBytes: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'getL1FeeUpperBound', args: [transactionBytes] });
  try {
    const answer = await callContract(context, { to: ORACLE, data });
    return answer.length === WORD_LENGTH ? BigInt(answer) : 0n;
  } catch (error) {
    if (error instanceof ExecutionReverted) return 0n;
    throw error;
  }
}
