/** USDC as the treasury uses it: strict reading of its events, and authorisations (EIP-3009) whose nonce is derived from the intent. */
import type { Hex } from 'viem';
import {
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  keccak256,
  padHex,
  parseAbi,
  parseTransaction,
  slice,
  stringToHex,
  toEventSelector,
} from 'viem/utils';
import { ChainUnavailable, type OutgoingTransfer } from '../chain.ts';
import type { EvmSigner } from '../treasury-signer.ts';
import { type BlockRef, callContract } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';
import { ExecutionReverted } from './execution-reverted.ts';
import type { LogAnswer } from './node-answers.ts';

const abi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function isBlacklisted(address account) view returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

export const TRANSFER_TOPIC = toEventSelector('Transfer(address,address,uint256)');
export const AUTHORIZATION_USED_TOPIC = toEventSelector('AuthorizationUsed(address,bytes32)');

export function addressTopic(address: Hex): Hex {
  return padHex(address.toLowerCase() as Hex, { size: 32 });
}

export interface UsdcTransfer {
  readonly from: Hex;
  readonly to: Hex;
  readonly micros: bigint;
  /** The owner signed exactly this transfer (EIP-3009); anybody may have sent it. */
  readonly isAuthorized: boolean;
}

const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/;
const WORD_LENGTH = 66;

/** The USDC transfers among a transaction's logs. Any contract can emit the event, but only the USDC contract's own count. */
export function readUsdcTransfers({ network, usdc }: EvmContext, logs: readonly LogAnswer[]): UsdcTransfer[] {
  const own = logs.filter(({ address, removed }) => address === usdc.toLowerCase() && !removed);
  return own.flatMap(({ topics, data }, index) => {
    if (topics[0] !== TRANSFER_TOPIC) return [];
    const [, from = '0x', to = '0x'] = topics;
    const isStrict = topics.length === 3 && ADDRESS_TOPIC.test(from) && ADDRESS_TOPIC.test(to) && data.length === WORD_LENGTH;
    // The real contract never does this, so do not trust the rest of this node's answer.
    if (!isStrict) throw new ChainUnavailable(network, 'the node reported a USDC transfer in a form USDC does not have');
    // USDC logs the use of an authorisation right before the transfer it makes.
    const [event, authorizer] = own[index - 1]?.topics ?? [];
    const isAuthorized = event === AUTHORIZATION_USED_TOPIC && authorizer === from;
    return [{ from: getAddress(slice(from, 12)), to: getAddress(slice(to, 12)), micros: BigInt(data), isAuthorized }];
  });
}

/** The accounts whose authorisations USDC executed in a transaction, by `transferWithAuthorization` or `receiveWithAuthorization`. */
export function readAuthorizers({ network, usdc }: EvmContext, logs: readonly LogAnswer[]): Hex[] {
  return logs
    .filter(({ address, topics, removed }) => address === usdc.toLowerCase() && topics[0] === AUTHORIZATION_USED_TOPIC && !removed)
    .map(({ topics: [, authorizer = '0x'] }) => {
      if (!ADDRESS_TOPIC.test(authorizer))
        throw new ChainUnavailable(network, 'the node reported an authorisation in a form USDC does not have');
      return getAddress(slice(authorizer, 12));
    });
}

export async function readUsdcBalance(context: EvmContext, address: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [address] });
  return await readWord(context, data, 'latest');
}

export async function isBlacklisted(context: EvmContext, address: Hex): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'isBlacklisted', args: [address] });
  return (await readWord(context, data, 'latest')) === 1n;
}

/** Whether some transaction has used this authorisation of the treasury, as of that block. */
export async function isAuthorizationUsed(context: EvmContext, nonce: Hex, at: BlockRef): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'authorizationState', args: [context.treasury, nonce] });
  return (await readWord(context, data, at)) === 1n;
}

export async function readDomainSeparator(context: EvmContext): Promise<bigint> {
  return await readWord(context, encodeFunctionData({ abi, functionName: 'DOMAIN_SEPARATOR' }), 'latest');
}

/** Throws `ExecutionReverted` when a plain transfer from the treasury would fail now. */
export async function tryTransfer(context: EvmContext, { destination, amount }: OutgoingTransfer): Promise<void> {
  await callContract(context, { from: context.treasury, to: context.usdc, data: encodePlainTransfer(getAddress(destination), amount) });
}

export function encodePlainTransfer(to: Hex, micros: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'transfer', args: [to, micros] });
}

/** Calls that never fail on the real contract: a revert means that the address has another contract or none. */
async function readWord(context: EvmContext, data: Hex, at: BlockRef): Promise<bigint> {
  try {
    const answer = await callContract(context, { to: context.usdc, data }, at);
    if (answer.length === WORD_LENGTH) return BigInt(answer);
  } catch (error) {
    if (!(error instanceof ExecutionReverted)) throw error;
  }
  throw new ChainUnavailable(context.network, `there is no USDC contract at ${context.usdc}`);
}

/** The same nonce for every attempt of this transfer: USDC accepts each nonce once, so it is paid once whatever we lose or repeat. */
export function authorizationNonce({ intentId }: Pick<OutgoingTransfer, 'intentId'>): Hex {
  return keccak256(stringToHex(`market-payout:${intentId}`));
}

const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;
const authorizationTypes = { TransferWithAuthorization: authorizationFields, ReceiveWithAuthorization: authorizationFields } as const;

/** Any sender can use `TransferWithAuthorization`, only the destination can use `ReceiveWithAuthorization`. Both are valid from 1970 on. */
export async function signAuthorization(
  { chainId, treasury, usdc, usdcDomain }: EvmContext,
  signer: EvmSigner,
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  transfer: OutgoingTransfer,
  validBefore: bigint,
): Promise<{ readonly nonce: Hex; readonly signature: Hex }> {
  const nonce = authorizationNonce(transfer);
  const signature = await signer.signTypedData({
    domain: { ...usdcDomain, chainId, verifyingContract: usdc },
    types: authorizationTypes,
    primaryType,
    message: { from: treasury, to: getAddress(transfer.destination), value: transfer.amount, validAfter: 0n, validBefore, nonce },
  });
  return { nonce, signature };
}

/** The call that makes USDC execute the transfer, valid for any sender until `validBefore` (seconds since 1970). */
export async function authorizeTransfer(
  context: EvmContext,
  signer: EvmSigner,
  transfer: OutgoingTransfer,
  validBefore: bigint,
): Promise<Hex> {
  const { nonce, signature } = await signAuthorization(context, signer, 'TransferWithAuthorization', transfer, validBefore);
  const [r, s, v] = [slice(signature, 0, 32), slice(signature, 32, 64), Number(slice(signature, 64, 65))];
  const to = getAddress(transfer.destination);
  return encodeFunctionData({
    abi,
    functionName: 'transferWithAuthorization',
    args: [context.treasury, to, transfer.amount, 0n, validBefore, nonce, v, r, s],
  });
}

/** Reads `validBefore` of the authorisation inside a transaction that we signed. */
export function readValidBefore(rawTransaction: Hex): bigint {
  const { data = '0x' } = parseTransaction(rawTransaction as `0x02${string}`);
  const call = decodeFunctionData({ abi, data });
  if (call.functionName !== 'transferWithAuthorization') throw new Error('These bytes are no treasury transfer.');
  return call.args[4];
}
