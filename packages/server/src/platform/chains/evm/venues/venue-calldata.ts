/** The calls by which the treasury moves USDC into a venue and back, and how to recognise them in signed bytes. */
import { type Hex, maxUint256 } from 'viem';
import { decodeFunctionData, encodeFunctionData, keccak256, parseTransaction } from 'viem/utils';
import { ChainUnavailable, type SignedTransfer } from '../../chain.ts';
import type { EvmSigner } from '../../treasury-signer.ts';
import type { VenueCall } from '../../yield-venues.ts';
import { decodeBytes } from '../broadcast.ts';
import { canonicalAddress, type EvmContext } from '../evm-context.ts';
import { authorizationNonce, signAuthorization } from '../usdc.ts';
import { routerAbi, venueAbi } from './venue-abi.ts';
import { addressesOf } from './venue-addresses.ts';

type DepositCall = Extract<VenueCall, { kind: 'deposit' }>;

/** The name of the intent on chain: router and USDC accept it once. */
export const intentOf = ({ intentId }: Pick<VenueCall, 'intentId'>): Hex => authorizationNonce({ intentId });

/** `validBefore` (seconds since 1970) is the time until which a deposit can be executed. */
export async function composeCall(
  context: EvmContext,
  signer: EvmSigner,
  call: VenueCall,
  validBefore: bigint,
): Promise<{ readonly to: Hex; readonly data: Hex }> {
  const { venue, router } = addressesOf(context, call.at);
  if (call.kind !== 'deposit') return composePlain(context, call);
  const { intentId, assets } = call;
  const paid = { intentId, destination: router, asset: 'usdc', amount: assets } as const;
  // Only the router can use this kind of authorisation, and only in a transaction of the treasury.
  const { nonce, signature } = await signAuthorization(context, signer, 'ReceiveWithAuthorization', paid, validBefore);
  const args = [context.usdc, venue, assets, call.minUnits, nonce, validBefore, signature] as const;
  return { to: router, data: encodeFunctionData({ abi: routerAbi, functionName: 'deposit', args }) };
}

function composePlain(context: EvmContext, call: Exclude<VenueCall, DepositCall>): { readonly to: Hex; readonly data: Hex } {
  const { venue, router } = addressesOf(context, call.at);
  if (call.kind === 'allow') {
    return { to: venue, data: encodeFunctionData({ abi: venueAbi, functionName: 'approve', args: [router, maxUint256] }) };
  }
  const args = [context.usdc, venue, call.units, call.minAssets, intentOf(call)] as const;
  return { to: router, data: encodeFunctionData({ abi: routerAbi, functionName: 'redeem', args }) };
}

export interface OwnBytes {
  readonly to: Hex;
  readonly data: Hex;
  /** The end of the deposit's authorisation; undefined for other calls. */
  readonly validBefore: bigint | undefined;
}

/**
 * Reads signed bytes back. Throws when they do anything but what the call says. Ignores the minimum result: each signature of an intent may
 * have its own, and the router enforces it.
 */
export function readOwnBytes(context: EvmContext, call: VenueCall, { reference, bytes }: SignedTransfer): OwnBytes {
  const raw = decodeBytes(bytes);
  const { to: target, value = 0n, data = '0x' } = parseTransaction(raw as `0x02${string}`);
  const to = target && canonicalAddress(target);
  const isOurs =
    to && value === 0n && keccak256(raw) === reference && (call.kind === 'allow' ? isAllow : isRouted)(context, call, to, data);
  if (!isOurs) throw new ChainUnavailable(context.network, `the bytes of ${reference} are not those of the call they were stored for`);
  return { to, data, validBefore: call.kind === 'deposit' ? readValidBefore(data) : undefined };
}

function isAllow(context: EvmContext, call: VenueCall, to: Hex, data: Hex): boolean {
  const expected = call.kind === 'allow' && composePlain(context, call);
  return expected !== false && to === expected.to && data === expected.data;
}

function isRouted(context: EvmContext, call: VenueCall, to: Hex, data: Hex): boolean {
  const { venue, router } = addressesOf(context, call.at);
  const { functionName, args } = decodeFunctionData({ abi: routerAbi, data });
  if (functionName === 'results' || functionName !== call.kind || to !== router) return false;
  const [usdc, target, amount, , intent] = args;
  const expected = call.kind === 'deposit' ? call.assets : call.units;
  return usdc === context.usdc && target === venue && amount === expected && intent === intentOf(call);
}

function readValidBefore(data: Hex): bigint | undefined {
  const { functionName, args } = decodeFunctionData({ abi: routerAbi, data });
  return functionName === 'deposit' ? args[5] : undefined;
}
