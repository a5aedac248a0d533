/**
 * EIP-3009 authorisations of payers: whether and by which transaction they were used. Their state on chain decides whether a payment
 * happened.
 */
import type { Hex } from 'viem';
import { encodeFunctionData, parseAbi, parseErc6492Signature, slice } from 'viem/utils';
import { type BlockRef, readBlock, readHeadNumber, readUsdcLogs } from '../chains/evm/ask-node.ts';
import type { EvmContext } from '../chains/evm/evm-context.ts';
import { findInclusion, type Inclusion } from '../chains/evm/inclusion.ts';
import { AUTHORIZATION_USED_TOPIC, addressTopic, isAuthorizationUsed, readUsdcTransfers } from '../chains/evm/usdc.ts';
import { type AuthorizedTransfer, ECDSA_HEX_LENGTH } from './exact-payload.ts';

export function isUsed(context: EvmContext, { authorization: { from, nonce } }: AuthorizedTransfer, at: BlockRef): Promise<boolean> {
  // The function takes the treasury as the authoriser; here the payer is.
  return isAuthorizationUsed({ ...context, treasury: from }, nonce, at);
}

/** Whether a successful transaction made exactly this transfer. */
export function showsTransfer(context: EvmContext, { succeeded, logs }: Inclusion, { authorization }: AuthorizedTransfer): boolean {
  const { from, to, value, nonce } = authorization;
  const usedNonce = logs.some(
    ({ address, topics }) =>
      address === context.usdc.toLowerCase() &&
      topics[0] === AUTHORIZATION_USED_TOPIC &&
      topics[1] === addressTopic(from) &&
      topics[2] === nonce,
  );
  const moved = readUsdcTransfers(context, logs).some(
    (transfer) => transfer.from === from && transfer.to === to && transfer.micros === BigInt(value),
  );
  return succeeded && usedNonce && moved;
}

const BLOCKS_PER_QUESTION = 10_000n;
/** A day of Base's two-second blocks. Real clients sign authorisations for minutes. */
const SEARCHED_BLOCKS = 43_200n;

/** Looks backwards for the transaction that used the authorisation, no further than the authorisation is old. */
export async function findUse(context: EvmContext, transfer: AuthorizedTransfer): Promise<Inclusion | undefined> {
  if (!(await isUsed(context, transfer, 'latest'))) return undefined;
  const { from, nonce, validAfter } = transfer.authorization;
  const topics = [AUTHORIZATION_USED_TOPIC, addressTopic(from), nonce];
  const head = await readHeadNumber(context);
  for (let to = head; to >= 0n && to > head - SEARCHED_BLOCKS; to -= BLOCKS_PER_QUESTION) {
    const first = to < BLOCKS_PER_QUESTION ? 0n : to - BLOCKS_PER_QUESTION + 1n;
    const log = (await readUsdcLogs(context, topics, first, to)).at(-1);
    const inclusion = log && (await findInclusion(context, log.transactionHash));
    if (inclusion !== undefined && showsTransfer(context, inclusion, transfer)) return inclusion;
    const oldest = await readBlock(context, first);
    if (oldest !== null && oldest.timestamp < BigInt(validAfter)) return undefined;
  }
  return undefined;
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);
const walletAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** The call that makes USDC execute the transfer. */
export function encodeUse({ authorization, signature: given }: AuthorizedTransfer): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const terms = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce] as const;
  const { signature } = parseErc6492Signature(given);
  const functionName = 'transferWithAuthorization';
  if (signature.length !== ECDSA_HEX_LENGTH) return encodeFunctionData({ abi: walletAbi, functionName, args: [...terms, signature] });
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), Number(slice(signature, 64, 65))];
  return encodeFunctionData({ abi, functionName, args: [...terms, v, r, s] });
}
