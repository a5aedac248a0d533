/** Authorisations (EIP-3009) as a transaction shows them to everybody. */
import { type Hex, serializeSignature } from 'viem';
import { decodeFunctionData, parseAbi } from 'viem/utils';

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** The payload of a standard payment, from the call of USDC that carries its authorisation. */
export function payloadIn(data: Hex): Record<string, unknown> {
  const [from, to, value, validAfter, validBefore, nonce, v, r, s] = decodeFunctionData({ abi, data }).args;
  const authorization = { from, to, value: String(value), validAfter: String(validAfter), validBefore: String(validBefore), nonce };
  return { signature: serializeSignature({ r, s, v: BigInt(v) }), authorization };
}
