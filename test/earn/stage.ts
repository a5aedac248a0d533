/** Helpers for tests of one market: its two vaults, a deposit in one line, and control of the venue. */
import assert from 'node:assert/strict';
import { lendVault, liquidityPool, venuesOf } from '../../packages/server/testing/venue-test-bench.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { PaidUntil, PayableMarket } from '../harness/payers.ts';
import {
  type Depositor,
  openDepositor as openAs,
  readMovement as readMovementAt,
  readPositions,
  sendDeposit,
  untilMoved,
} from './depositors.ts';

export { asWallet, sendDeposit as transfer, usdcOf as balanceOf } from './depositors.ts';

export const LEND = 'lend_a:usdc';
export const POOL = 'usdc-traders';
export const USDC = 1_000_000n;

/** Accounts withdraw at once; for tests of anything but the wait. */
export const withoutWaits = { PAYOUT_CHANGE_DELAY_HOURS: '0' };

/** A market in this process or another. */
type AtUrl = { readonly url: string };
export type EarnMarket = PayableMarket & AtUrl;

export type { Depositor };

/** An account with its wallet linked. */
export async function openDepositor(market: EarnMarket, usdcMicros?: bigint): Promise<Depositor> {
  return await openAs(market, market.url, 'user', usdcMicros);
}

/** A wallet without an account. */
export async function openSigner(market: EarnMarket, usdcMicros?: bigint): Promise<Depositor> {
  return await openAs(market, market.url, 'wallet', usdcMicros);
}

export async function register({ url }: AtUrl, depositor: Depositor, body: Record<string, unknown>): Promise<Reply> {
  return await call(url, 'POST /api/earn/pool/deposit', { ...(await depositor.credentials()), body });
}

/** Pays, registers, and waits until the deposit is in the venue. */
export async function deposited(market: AtUrl, depositor: Depositor, usd: number, key = LEND, until?: PaidUntil): Promise<Envelope> {
  const reference = await sendDeposit(depositor, BigInt(Math.round(usd * 1e6)), until);
  const reply = await register(market, depositor, { amount_usd: usd, incoming_tx_hash: reference, key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return await untilStatus(market, depositor, String(reply.body['data'].deposit_id), 'deployed');
}

export async function withdraw(
  { url }: AtUrl,
  depositor: Depositor,
  body: Record<string, unknown>,
  more: Record<string, string> = {},
): Promise<Reply> {
  const { headers, ...credentials } = await depositor.credentials();
  return await call(url, 'POST /api/earn/pool/withdraw', { ...credentials, headers: { ...headers, ...more }, body });
}

export async function readMovement({ url }: AtUrl, depositor: Depositor, id: string): Promise<Envelope> {
  return await readMovementAt(url, depositor, id);
}

export async function untilStatus({ url }: AtUrl, depositor: Depositor, id: string, status: string): Promise<Envelope> {
  return await untilMoved(url, depositor, id, (movement) => movement['status'] === status, 30);
}

export async function positionOf({ url }: AtUrl, depositor: Depositor, key = LEND): Promise<Envelope | undefined> {
  return (await readPositions(url, depositor)).find((position) => position['key'] === key);
}

export async function steer(market: AtUrl, key: string, action: string, usdc?: string): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/earn/venue', { body: { key, action, ...(usdc !== undefined && { usdc }) } });
}

export async function advance(market: AtUrl, seconds: number): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
}

/** Sets the venue's free cash, whatever it was before. */
export async function leaveFree(market: EarnMarket, key: string, usdc: number): Promise<void> {
  const { chains } = market;
  const chain = chains.get('base-mainnet');
  assert.ok(chain);
  const reading = await venuesOf(chain).read(key === LEND ? lendVault : liquidityPool);
  const now = Number(reading.freeAssets) / 1e6;
  if (now > usdc) await steer(market, key, 'borrow', (now - usdc).toFixed(6));
  if (now < usdc) await steer(market, key, 'repay', (usdc - now).toFixed(6));
}
