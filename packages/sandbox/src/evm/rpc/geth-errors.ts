// Translates the engine's errors into geth's, because clients recognise errors by geth's messages.

import type { EngineError } from '../edr-engine.ts';
import { EXECUTION_REVERTED, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, SERVER_ERROR } from './rpc-error.ts';

type Words = readonly [pattern: RegExp, message: (found: RegExpExecArray) => string];

const WORDS: readonly Words[] = [
  [/^Known transaction/, () => 'already known'],
  [
    /nonce too low\. Expected nonce to be at least (\d+) but got (\d+)/,
    ([, next, got]) => `nonce too low: next nonce ${next}, tx nonce ${got}`,
  ],
  [
    /enough funds to send tx\. The max upfront cost is: (\d+) and the sender's balance is: (\d+)/,
    ([, cost, balance]) => `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}`,
  ],
  [/requires at least (\d+) gas but got (\d+)/, ([, needed, got]) => `intrinsic gas too low: gas ${got}, minimum needed ${needed}`],
  [/^Replacement transaction underpriced/, () => 'replacement transaction underpriced'],
  [/exceeds block gas limit of (\d+)/, ([, limit]) => `exceeds block gas limit: limit ${limit}`],
  [/invalid chainId\. The expected chainId is (\d+)/, ([, want]) => `invalid chain id for signer: want ${want}`],
  [/^Received invalid block tag/, () => 'header not found'],
  [/ran out of gas/, () => 'out of gas'],
  [/invalid opcode/, () => 'invalid opcode'],
];

/** Selectors of `Error(string)` and `Panic(uint256)`, which compiled contracts use. */
const ERROR_SELECTOR = '08c379a0';
const PANIC_SELECTOR = '4e487b71';

export function toGethError(error: EngineError): RpcError {
  const output = findRevertData(error.data);
  if (output !== undefined) return new RpcError(EXECUTION_REVERTED, describeRevert(output), output);
  if (error.code === -32004) return new RpcError(METHOD_NOT_FOUND, 'the method does not exist/is not available');
  for (const [pattern, say] of WORDS) {
    const found = pattern.exec(error.message);
    if (found !== null) return new RpcError(SERVER_ERROR, say(found));
  }
  // Drop the position of the error: it belongs to our JSON for the engine, not to the caller's.
  const message = error.message.replace(/ at line \d+ column \d+$/, '');
  return new RpcError(error.code === INVALID_PARAMS ? INVALID_PARAMS : SERVER_ERROR, message);
}

function findRevertData(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('reason' in data)) return undefined;
  const { reason } = data;
  if (typeof reason !== 'object' || reason === null || !('Revert' in reason)) return undefined;
  return typeof reason.Revert === 'string' ? reason.Revert : undefined;
}

function describeRevert(output: string): string {
  const selector = output.slice(2, 10);
  const words = Buffer.from(output.slice(10), 'hex');
  if (selector === ERROR_SELECTOR && words.length >= 64) {
    const length = Number(BigInt(`0x${words.subarray(32, 64).toString('hex')}`));
    return `execution reverted: ${words.subarray(64, 64 + length).toString('utf8')}`;
  }
  if (selector === PANIC_SELECTOR && words.length === 32) return `execution reverted: panic code 0x${words.at(-1)?.toString(16)}`;
  return 'execution reverted';
}
