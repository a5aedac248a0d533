/** For tests of vaults: the sandbox's venues, a hostile one, and a call's way from signature to outcome. */
import assert from 'node:assert/strict';
import {
  aaveMarketDouble,
  EARN_ROUTER_ADDRESS,
  hostileVenue,
  LEND_VAULT_ADDRESS,
  LIQUIDITY_POOL_ADDRESS,
  sandboxLendVault,
  sandboxLiquidityPool,
  sandboxUsdc,
  USDC_ADDRESS,
} from '@market/sandbox/evm';
import { type Hex, maxUint256 } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData } from 'viem/utils';
import type { Chain, SignedTransfer, TransferOutcome } from '../src/platform/chains/chain.ts';
import type { VenueAddress, VenueCall, VenueResult, YieldVenues } from '../src/platform/chains/yield-venues.ts';
import { deploy, type Person, type TestChain } from './evm-test-chain.ts';

export const lendVault: VenueAddress = { venue: LEND_VAULT_ADDRESS, router: EARN_ROUTER_ADDRESS, adapter: 'erc4626' };
export const liquidityPool: VenueAddress = { venue: LIQUIDITY_POOL_ADDRESS, router: EARN_ROUTER_ADDRESS, adapter: 'liquidity_pool' };

/** The order of `enum Mode` in the contract. */
const HOSTILE_MODES = [
  'honest',
  'mints_less',
  'reverts',
  'calls_back',
  'mints_nothing',
  'takes_nothing',
  'pays_less',
  'pays_nothing',
  'burns_more',
] as const;
export type HostileMode = (typeof HOSTILE_MODES)[number];

export type HostileVenue = Awaited<ReturnType<typeof deployHostileVenue>>;

/** A vault whose behaviour the test chooses. Anyone may set its mode. */
export async function deployHostileVenue(chain: Pick<TestChain, 'reader' | 'included'>, person: Person) {
  const { abi, creationCode } = hostileVenue;
  const venue = await deploy(chain, person, encodeDeployData({ abi, bytecode: creationCode, args: [USDC_ADDRESS] }));
  const send = async (data: Hex) => await chain.included(await person.sendTransaction({ to: venue, data, gas: 500_000n }));
  return {
    at: { venue, router: EARN_ROUTER_ADDRESS, adapter: 'erc4626' } satisfies VenueAddress,
    setMode: (mode: HostileMode) => send(encodeFunctionData({ abi, functionName: 'setMode', args: [HOSTILE_MODES.indexOf(mode)] })),
    setPaused: (isPaused: boolean) => send(encodeFunctionData({ abi, functionName: 'setPaused', args: [isPaused] })),
    /** The call that it makes in the middle of a deposit or redemption, in mode `calls_back`. */
    setCallback: (to: Hex, data: Hex) => send(encodeFunctionData({ abi, functionName: 'setCallback', args: [to, data] })),
    /** Moves its USDC elsewhere. */
    lose: (to: Hex, micros: bigint) => send(encodeFunctionData({ abi, functionName: 'lose', args: [to, micros] })),
  };
}

/** A contract with the functions of Aave that the adapter calls, and switches for the test. */
export async function deployAaveMarket(chain: TestChain, person: Person) {
  const { abi, creationCode } = aaveMarketDouble;
  const venue = await deploy(chain, person, encodeDeployData({ abi, bytecode: creationCode, args: [USDC_ADDRESS] }));
  return {
    at: { venue, pool: venue, router: EARN_ROUTER_ADDRESS, adapter: 'aave_v3' } satisfies VenueAddress,
    async setReserve({
      bits = [56n],
      rate = 0n,
      lent = 0n,
      aToken = venue,
    }: {
      bits?: bigint[];
      rate?: bigint;
      lent?: bigint;
      aToken?: Hex;
    }) {
      const args = [bits.reduce((sum, bit) => sum | (1n << bit), 0n), rate, lent, aToken] as const;
      const data = encodeFunctionData({ abi, functionName: 'setReserve', args });
      await chain.included(await person.sendTransaction({ to: venue, data, gas: 200_000n }));
    },
  };
}

type LendAction = 'borrow' | 'repay';
type PoolAction = 'accrueFees' | 'tradersWin' | 'tradersLose' | 'openPositions' | 'closePositions';

/** Controls the sandbox's own venues with the faucet's key. */
export async function openVenueControls(chain: TestChain) {
  const faucet = await chain.openFaucetWallet();
  const send = async (to: Hex, data: Hex) => await chain.included(await faucet.sendTransaction({ to, data, gas: 500_000n }));
  const usdc = (functionName: 'approve' | 'mint', args: readonly [Hex, bigint]) =>
    send(USDC_ADDRESS, encodeFunctionData({ abi: sandboxUsdc.abi, functionName, args }));
  const provide = async (venue: Hex, micros: bigint) => {
    await usdc('mint', [faucet.account.address, micros]);
    await usdc('approve', [venue, maxUint256]);
  };
  return {
    async lend(functionName: LendAction, micros: bigint) {
      await provide(LEND_VAULT_ADDRESS, micros);
      await send(LEND_VAULT_ADDRESS, encodeFunctionData({ abi: sandboxLendVault.abi, functionName, args: [micros] }));
    },
    async pool(functionName: PoolAction, micros: bigint) {
      await provide(LIQUIDITY_POOL_ADDRESS, micros);
      await send(LIQUIDITY_POOL_ADDRESS, encodeFunctionData({ abi: sandboxLiquidityPool.abi, functionName, args: [micros] }));
    },
    pause: (venue: Hex) => send(venue, encodeFunctionData({ abi: sandboxLendVault.abi, functionName: 'pause' })),
    unpause: (venue: Hex) => send(venue, encodeFunctionData({ abi: sandboxLendVault.abi, functionName: 'unpause' })),
    donate: (venue: Hex, micros: bigint) => usdc('mint', [venue, micros]),
  };
}

export function venuesOf({ venues }: Pick<Chain, 'venues'>): YieldVenues {
  assert.ok(venues);
  return venues;
}

export const newIntent = (): string => `evi_${generatePrivateKey().slice(2, 18)}`;

export function depositOf(at: VenueAddress, assets: bigint, minUnits: bigint): Extract<VenueCall, { kind: 'deposit' }> {
  return { kind: 'deposit', intentId: newIntent(), at, assets, minUnits };
}

export function redeemOf(at: VenueAddress, units: bigint, minAssets: bigint): Extract<VenueCall, { kind: 'redeem' }> {
  return { kind: 'redeem', intentId: newIntent(), at, units, minAssets };
}

/** Signs, sends and polls until the outcome is final. */
export async function carryOut(
  chain: Chain,
  call: VenueCall,
): Promise<{ readonly signed: SignedTransfer; readonly outcome: TransferOutcome }> {
  const signed = await venuesOf(chain).sign(call);
  await chain.broadcast(signed);
  return { signed, outcome: await untilDecided(chain, call, signed) };
}

export async function untilDecided(chain: Chain, call: VenueCall, signed: SignedTransfer): Promise<TransferOutcome> {
  for (let look = 0; look < 300; look++) {
    const outcome = await venuesOf(chain).readOutcome(call, signed);
    if (outcome.state !== 'open' && (outcome.state !== 'landed' || outcome.finality === 'final')) return outcome;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the awaited outcome did not come');
}

/** Deposits, and returns the amounts that the router measured. */
export async function depositNow(chain: Chain, at: VenueAddress, assets: bigint): Promise<VenueResult> {
  // Interest makes units dearer until the deposit lands.
  const previewed = await venuesOf(chain).previewDeposit(at, assets);
  return await resultNow(chain, depositOf(at, assets, (previewed * 999n) / 1_000n));
}

/** Carries out a call that must succeed. */
export async function resultNow(chain: Chain, call: VenueCall): Promise<VenueResult> {
  const { outcome } = await carryOut(chain, call);
  assert.equal(outcome.state, 'landed');
  const result = await venuesOf(chain).readResult(call, outcome.reference);
  assert.ok(result);
  return result;
}

export async function allowNow(chain: Chain, at: VenueAddress): Promise<void> {
  await resultNow(chain, { kind: 'allow', intentId: newIntent(), at });
}
