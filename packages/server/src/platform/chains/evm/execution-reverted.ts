/** Distinguishes a contract's revert from a failing node. Nodes report a revert under different codes and in different fields. */
import type { Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';
import type { RpcError } from '../json-rpc.ts';

export class ExecutionReverted extends Error {
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`the contract refused: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ExecutionReverted';
    this.reason = reason;
  }
}

/** geth's code for a revert with data. */
const REVERTED = 3;
const WORDS = /revert|out of gas|invalid opcode|invalid jump|stack (?:under|over)flow|VM execution error/i;

/** Undefined when the error does not report a contract's revert. */
export function findRevertReason({ code, message, data }: RpcError): string | undefined {
  const returned = findReturnedBytes(data);
  if (code !== REVERTED && returned === undefined && !WORDS.test(message)) return undefined;
  return decodeReason(returned) || message.replace(/^execution reverted:?\s*/i, '').slice(0, 200) || 'no reason given';
}

/** Some nodes write `Reverted 0x…`, some put the bytes one level deeper. */
function findReturnedBytes(data: unknown): Hex | undefined {
  const text = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (typeof text !== 'string') return undefined;
  const found = /^(?:Reverted )?(0x(?:[0-9a-fA-F]{2})+)$/.exec(text);
  return found === null ? undefined : (found[1] as Hex);
}

function decodeReason(returned: Hex | undefined): string | undefined {
  if (returned === undefined) return undefined;
  try {
    // Decodes Error(string) and Panic(uint256) without an ABI; USDC uses no others.
    const { errorName, args } = decodeErrorResult({ data: returned });
    return errorName === 'Error' ? String(args?.[0]) : `${errorName} ${args?.join(', ') ?? ''}`.trim();
  } catch {
    return undefined;
  }
}
