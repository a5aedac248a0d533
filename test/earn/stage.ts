/** Depositors with real wallets, and what tests of Earn do with them. */
import assert from 'node:assert/strict';
import { lendVault, liquidityPool, venuesOf } from '../../packages/server/testing/venue-test-bench.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { createPayer, type Payer } from '../harness/payers.ts';
import { tokenFor } from '../harness/people.ts';

export const LEND = 'lend_a:usdc';
export const POOL = 'usdc-traders';
export const USDC = 1_000_000n;

export interface Depositor {
  readonly payer: Payer;
  /** Sign-in token of an account with the wallet linked. */
  readonly token: string;
}

let people = 0;

export async function openDepositor(market: TestMarket, usdcMicros = 10_000n * USDC): Promise<Depositor> {
  people += 1;
  const payer = await createPayer(market, 'base-mainnet', usdcMicros);
  const wallets = [{ chain: 'base', address: payer.address }];
  const token = await tokenFor(market.url, { email: `earner-${process.pid}-${people}@example.com`, wallets });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  return { payer, token };
}

export async function transfer({ payer }: Depositor, micros: bigint): Promise<string> {
  return await payer.pay(payer.chain.treasury, micros, 'confirmed');
}

export async function register(market: TestMarket, { token }: Depositor, body: Record<string, unknown>): Promise<Reply> {
  return await call(market.url, 'POST /api/earn/pool/deposit', { key: token, body });
}

/** Pays and registers; the deposit may still be on its way. */
export async function deposit(market: TestMarket, depositor: Depositor, usd: number, key = LEND): Promise<Envelope> {
  const reference = await transfer(depositor, BigInt(Math.round(usd * 1e6)));
  const reply = await register(market, depositor, { amount_usd: usd, incoming_tx_hash: reference, key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'] as Envelope;
}

/** As `deposit`, until it is in the venue. */
export async function deposited(market: TestMarket, depositor: Depositor, usd: number, key = LEND): Promise<Envelope> {
  const data = await deposit(market, depositor, usd, key);
  return await untilStatus(market, depositor, String(data['deposit_id']), 'deployed');
}

export async function withdraw(market: TestMarket, { token }: Depositor, body: Record<string, unknown>): Promise<Reply> {
  return await call(market.url, 'POST /api/earn/pool/withdraw', { key: token, body });
}

export async function readMovement(market: TestMarket, { token }: Depositor, id: string): Promise<Envelope> {
  return (await expectCall(market.url, 200, `GET /api/earn/pool/movements/${id}`, { key: token })) as Envelope;
}

export async function untilStatus(market: TestMarket, depositor: Depositor, id: string, status: string): Promise<Envelope> {
  let last: Envelope | undefined;
  for (let look = 0; look < 300; look++) {
    last = await readMovement(market, depositor, id);
    if (last['status'] === status) return last;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${id} did not become ${status}: ${JSON.stringify(last)}`);
}

export async function positionOf(market: TestMarket, { token }: Depositor, key = LEND): Promise<Envelope | undefined> {
  const positions = (await expectCall(market.url, 200, 'GET /api/earn/pool/positions', { key: token })) as unknown as Envelope[];
  return positions.find((position) => position['key'] === key);
}

export async function steer(market: TestMarket, key: string, action: string, usdc?: string): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/earn/venue', { body: { key, action, ...(usdc !== undefined && { usdc }) } });
}

export async function advance(market: TestMarket, seconds: number): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
}

export async function balanceOf({ payer }: Depositor): Promise<bigint> {
  return (await payer.chain.readBalances(payer.address)).usdcMicros;
}

/** Sets what the venue has free, whatever it had before. */
export async function leaveFree(market: TestMarket, key: string, usdc: number): Promise<void> {
  const { chains } = market;
  const chain = chains.get('base-mainnet');
  assert.ok(chain);
  const reading = await venuesOf(chain).read(key === LEND ? lendVault : liquidityPool);
  const now = Number(reading.freeAssets) / 1e6;
  if (now > usdc) await steer(market, key, 'borrow', (now - usdc).toFixed(6));
  if (now < usdc) await steer(market, key, 'repay', (usdc - now).toFixed(6));
}
