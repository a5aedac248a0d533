/** Several contract reads in one call, so that all answers belong to one block. */
import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { ChainUnavailable } from '../../chain.ts';
import { type BlockRef, callContract } from '../ask-node.ts';
import type { EvmContext } from '../evm-context.ts';
import { ExecutionReverted } from '../execution-reverted.ts';

/** The address is the same on every network that has the contract. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

const abi = parseAbi([
  'function tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)',
]);

export interface Question {
  readonly target: Hex;
  readonly callData: Hex;
}

export interface Answers<Name extends string> {
  readonly blockNumber: bigint;
  /** Undefined where the contract reverted, or there is none. */
  readonly bytes: Readonly<Record<Name, Hex | undefined>>;
}

export async function askTogether<Name extends string>(
  context: EvmContext,
  questions: Readonly<Record<Name, Question>>,
  at: BlockRef = 'latest',
): Promise<Answers<Name>> {
  const names = Object.keys(questions) as Name[];
  const calls = names.map((name) => questions[name]);
  const data = encodeFunctionData({ abi, functionName: 'tryBlockAndAggregate', args: [false, calls] });
  const [blockNumber, , results] = await ask(context, data, at);
  if (results.length !== names.length) throw new ChainUnavailable(context.network, 'the node answered other questions than asked');
  const bytes = names.map((name, index) => {
    const result = results[index];
    return [name, result?.success && result.returnData !== '0x' ? result.returnData : undefined];
  });
  return { blockNumber, bytes: Object.fromEntries(bytes) };
}

async function ask(context: EvmContext, data: Hex, at: BlockRef) {
  try {
    const answer = await callContract(context, { to: MULTICALL3, data }, at);
    return decodeFunctionResult({ abi, functionName: 'tryBlockAndAggregate', data: answer });
  } catch (error) {
    if (error instanceof ChainUnavailable) throw error;
    const reason = error instanceof ExecutionReverted ? error.reason : 'its answer has another shape';
    throw new ChainUnavailable(context.network, `Multicall3 cannot be asked: ${reason}`, error);
  }
}

const WORD_LENGTH = 66;

/** The answer as a number; undefined unless it is exactly one word. */
export function readNumber(answer: Hex | undefined): bigint | undefined {
  return answer?.length === WORD_LENGTH ? BigInt(answer) : undefined;
}
