/** Depositors with real wallets, and what tests of Earn do with them. */
import assert from 'node:assert/strict';
import { lendVault, liquidityPool, venuesOf } from '../../packages/server/testing/venue-test-bench.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { createPayer, type PaidUntil, type PayableMarket, type Payer } from '../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';

export const LEND = 'lend_a:usdc';
export const POOL = 'usdc-traders';
export const USDC = 1_000_000n;

/** In this process or elsewhere. */
export interface EarnMarket extends PayableMarket {
  readonly url: string;
}

export interface Depositor {
  readonly payer: Payer;
  /** Sign-in token of an account with the wallet linked; without one the wallet itself signs, on any server. */
  readonly token?: string;
}

let people = 0;

export async function openDepositor(market: EarnMarket, usdcMicros = 10_000n * USDC): Promise<Depositor> {
  people += 1;
  const payer = await createPayer(market, 'base-mainnet', usdcMicros);
  const wallets = [{ chain: 'base', address: payer.address }];
  const token = await tokenFor(market.url, { email: `earner-${process.pid}-${people}@example.com`, wallets });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  return { payer, token };
}

/** A wallet without an account. */
export async function openSigner(market: EarnMarket, usdcMicros = 10_000n * USDC): Promise<Depositor> {
  return { payer: await createPayer(market, 'base-mainnet', usdcMicros) };
}

async function credentialsOf({ payer, token }: Depositor): Promise<{ key?: string; headers: Record<string, string> }> {
  if (token !== undefined) return { key: token, headers: {} };
  assert.equal(payer.kind, 'evm');
  const { account } = payer.wallet;
  return {
    headers: asHeaders(await signed({ chain: 'base', address: payer.address, sign: (message) => account.signMessage({ message }) })),
  };
}

export async function transfer({ payer }: Depositor, micros: bigint, until: PaidUntil = 'confirmed'): Promise<string> {
  return await payer.pay(payer.chain.treasury, micros, until);
}

export async function register(market: Pick<EarnMarket, 'url'>, depositor: Depositor, body: Record<string, unknown>): Promise<Reply> {
  return await call(market.url, 'POST /api/earn/pool/deposit', { ...(await credentialsOf(depositor)), body });
}

/** Pays and registers; the deposit may still be on its way. */
async function deposit(market: EarnMarket, depositor: Depositor, usd: number, key = LEND, until?: PaidUntil): Promise<Envelope> {
  const reference = await transfer(depositor, BigInt(Math.round(usd * 1e6)), until);
  const reply = await register(market, depositor, { amount_usd: usd, incoming_tx_hash: reference, key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'] as Envelope;
}

/** As `deposit`, until it is in the venue. */
export async function deposited(market: EarnMarket, depositor: Depositor, usd: number, key = LEND, until?: PaidUntil): Promise<Envelope> {
  const data = await deposit(market, depositor, usd, key, until);
  return await untilStatus(market, depositor, String(data['deposit_id']), 'deployed');
}

export async function withdraw(
  market: Pick<EarnMarket, 'url'>,
  depositor: Depositor,
  body: Record<string, unknown>,
  more: Record<string, string> = {},
): Promise<Reply> {
  const { headers, ...credentials } = await credentialsOf(depositor);
  return await call(market.url, 'POST /api/earn/pool/withdraw', { ...credentials, headers: { ...headers, ...more }, body });
}

export async function readMovement(market: Pick<EarnMarket, 'url'>, depositor: Depositor, id: string): Promise<Envelope> {
  return (await expectCall(market.url, 200, `GET /api/earn/pool/movements/${id}`, await credentialsOf(depositor))) as Envelope;
}

export async function untilStatus(market: Pick<EarnMarket, 'url'>, depositor: Depositor, id: string, status: string): Promise<Envelope> {
  let last: Envelope | undefined;
  for (let look = 0; look < 300; look++) {
    last = await readMovement(market, depositor, id);
    if (last['status'] === status) return last;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${id} did not become ${status}: ${JSON.stringify(last)}`);
}

export async function positionOf(market: Pick<EarnMarket, 'url'>, depositor: Depositor, key = LEND): Promise<Envelope | undefined> {
  const positions = (await expectCall(
    market.url,
    200,
    'GET /api/earn/pool/positions',
    await credentialsOf(depositor),
  )) as unknown as Envelope[];
  return positions.find((position) => position['key'] === key);
}

export async function steer(market: Pick<EarnMarket, 'url'>, key: string, action: string, usdc?: string): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/earn/venue', { body: { key, action, ...(usdc !== undefined && { usdc }) } });
}

export async function advance(market: Pick<EarnMarket, 'url'>, seconds: number): Promise<void> {
  await expectCall(market.url, 200, 'POST /sandbox/clock', { body: { advance_seconds: seconds } });
}

export async function balanceOf({ payer }: Depositor): Promise<bigint> {
  return (await payer.chain.readBalances(payer.address)).usdcMicros;
}

/** Sets what the venue has free, whatever it had before. */
export async function leaveFree(market: EarnMarket, key: string, usdc: number): Promise<void> {
  const { chains } = market;
  const chain = chains.get('base-mainnet');
  assert.ok(chain);
  const reading = await venuesOf(chain).read(key === LEND ? lendVault : liquidityPool);
  const now = Number(reading.freeAssets) / 1e6;
  if (now > usdc) await steer(market, key, 'borrow', (now - usdc).toFixed(6));
  if (now < usdc) await steer(market, key, 'repay', (usdc - now).toFixed(6));
}
