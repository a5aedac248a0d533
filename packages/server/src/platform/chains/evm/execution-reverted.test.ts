import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem/utils';
import { RpcError } from '../json-rpc.ts';
import { findRevertReason } from './execution-reverted.ts';

const REASON = 'ERC20: transfer amount exceeds balance';
const data = encodeErrorResult({ abi: parseAbi(['error Error(string message)']), errorName: 'Error', args: [REASON] });
const panic = encodeErrorResult({ abi: parseAbi(['error Panic(uint256 code)']), errorName: 'Panic', args: [17n] });

const dialects: [string, RpcError, string][] = [
  ['geth', new RpcError(3, `execution reverted: ${REASON}`, data), REASON],
  ['geth without data', new RpcError(-32000, `execution reverted: ${REASON}`, undefined), REASON],
  ['data one level deeper', new RpcError(-32603, 'Internal error', { data }), REASON],
  ['a word before the data', new RpcError(-32015, 'VM execution error.', `Reverted ${data}`), REASON],
  ['no reason at all', new RpcError(3, 'execution reverted', '0x'), 'no reason given'],
  ['an unknown custom error', new RpcError(3, 'execution reverted', '0xdeadbeef'), 'no reason given'],
  ['a panic', new RpcError(3, 'execution reverted', panic), 'Panic 17'],
  ['out of gas', new RpcError(-32000, 'out of gas', undefined), 'out of gas'],
];
for (const [dialect, error, reason] of dialects) {
  test(`a contract’s revert is recognised: ${dialect}`, () => assert.equal(findRevertReason(error), reason));
}

for (const message of [
  'rate limit exceeded',
  'header not found',
  'missing trie node',
  'method not found',
  'insufficient funds for gas * price + value',
]) {
  test(`"${message}" is a node error, not a contract’s revert`, () => {
    assert.equal(findRevertReason(new RpcError(-32000, message, undefined)), undefined);
  });
}
