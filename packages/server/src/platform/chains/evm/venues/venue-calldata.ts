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
import { placeOf } from './venue-place.ts';

type DepositCall = Extract<VenueCall, { kind: 'deposit' }>;

/** The name of the intent on chain: the router and USDC take it once. */
export const intentOf = ({ intentId }: Pick<VenueCall, 'intentId'>): Hex => authorizationNonce({ intentId });

/** `validBefore` (seconds since 1970) limits how long a deposit can be carried out. */
export async function composeCall(
  context: EvmContext,
  signer: EvmSigner,
  call: VenueCall,
  validBefore: bigint,
): Promise<{ readonly to: Hex; readonly data: Hex }> {
  const { venue, router } = placeOf(context, call.at);
  if (call.kind !== 'deposit') return composePlain(context, call);
  const { intentId, assets } = call;
  const paid = { intentId, destination: router, asset: 'usdc', amount: assets } as const;
  // Only the router can use this kind of authorisation, and only in a transaction of the treasury.
  const { nonce, signature } = await signAuthorization(context, signer, 'ReceiveWithAuthorization', paid, validBefore);
  const args = [context.usdc, venue, assets, call.minUnits, nonce, validBefore, signature] as const;
  return { to: router, data: encodeFunctionData({ abi: routerAbi, functionName: 'deposit', args }) };
}

function composePlain(context: EvmContext, call: Exclude<VenueCall, DepositCall>): { readonly to: Hex; readonly data: Hex } {
  const { venue, router } = placeOf(context, call.at);
  if (call.kind === 'allow') {
    return { to: venue, data: encodeFunctionData({ abi: venueAbi, functionName: 'approve', args: [router, maxUint256] }) };
  }
  const args = [context.usdc, venue, call.units, call.minAssets, intentOf(call)] as const;
  return { to: router, data: encodeFunctionData({ abi: routerAbi, functionName: 'redeem', args }) };
}

export interface OwnBytes {
  readonly to: Hex;
  readonly data: Hex;
  /** Of a deposit's authorisation. */
  readonly validBefore: bigint | undefined;
}

/** Reads signed bytes back. Throws when they do anything but what the call says. */
export function readOwnBytes(context: EvmContext, call: VenueCall, { reference, bytes }: SignedTransfer): OwnBytes {
  const raw = decodeBytes(bytes);
  const { to: target, value = 0n, data = '0x' } = parseTransaction(raw as `0x02${string}`);
  const to = target && canonicalAddress(target);
  const validBefore = to && call.kind === 'deposit' ? readValidBefore(context, call, to, data) : undefined;
  const isOurs = call.kind === 'deposit' ? validBefore !== undefined : isSame({ to, data }, composePlain(context, call));
  if (to && isOurs && value === 0n && keccak256(raw) === reference) return { to, data, validBefore };
  throw new ChainUnavailable(context.network, `the bytes of ${reference} are not those of the call they were stored for`);
}

function isSame(a: { readonly to: Hex | undefined | null; readonly data: Hex }, b: { readonly to: Hex; readonly data: Hex }): boolean {
  return a.to === b.to && a.data === b.data;
}

/** Undefined when it is another deposit. Each signature of an intent has its own end, so the rest is compared. */
function readValidBefore(context: EvmContext, call: DepositCall, to: Hex, data: Hex): bigint | undefined {
  const { venue, router } = placeOf(context, call.at);
  const { functionName, args } = decodeFunctionData({ abi: routerAbi, data });
  if (functionName !== 'deposit' || to !== router) return undefined;
  const [usdc, depositedIn, assets, minUnits, intent, validBefore] = args;
  const isSameCall = usdc === context.usdc && depositedIn === venue && assets === call.assets && minUnits === call.minUnits;
  return isSameCall && intent === intentOf(call) ? validBefore : undefined;
}
