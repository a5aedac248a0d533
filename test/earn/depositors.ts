/** People, wallets and agents with USDC who use Earn over HTTP. */
import assert from 'node:assert/strict';
import { formatUsd } from '@market/contract';
import { registerOwnedAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { walletOf } from '../harness/orders.ts';
import { createPayer, type EvmPayer, type PaidUntil, type PayableMarket } from '../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';

export const ownerKinds = ['user', 'wallet', 'agent'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

export interface Depositor {
  readonly kind: OwnerKind;
  readonly payer: EvmPayer;
  /** The wallet of an agent, to which its withdrawals go. */
  readonly serverWallet?: string;
  /** The USDC of the wallet at the start. */
  readonly funded: bigint;
  /** Credentials for one call. */
  credentials(): Promise<Pick<CallOptions, 'key' | 'headers'>>;
}

const NETWORK = 'base-mainnet';
let people = 0;

export async function openDepositor(market: PayableMarket, url: string, kind: OwnerKind, funded = 10_000_000_000n): Promise<Depositor> {
  const payer = await createPayer(market, NETWORK, funded);
  assert.equal(payer.kind, 'evm');
  const wallet = walletOf(payer);
  const base = { kind, payer: payer as EvmPayer, funded };
  if (kind === 'wallet') return { ...base, credentials: () => signatureOf(base) };
  if (kind === 'agent') {
    const { key, id } = await registerOwnedAgent(url, wallet);
    const { evm_address: serverWallet } = await expectCall(url, 200, `GET /api/agents/${id}/funding`, { key });
    // The agent deposits what its owner paid, so the paying wallet signs beside the key.
    return { ...base, serverWallet, credentials: async () => ({ key, ...(await signatureOf(base)) }) };
  }
  people += 1;
  const key = await tokenFor(url, {
    email: `depositor-${process.pid}-${people}@example.com`,
    wallets: [{ chain: 'base', address: wallet.address }],
  });
  await expectCall(url, 200, 'POST /api/auth/user', { key });
  return { ...base, credentials: async () => ({ key }) };
}

async function signatureOf({ payer }: Pick<Depositor, 'payer'>): Promise<Pick<CallOptions, 'headers'>> {
  return { headers: asHeaders(await signed(walletOf(payer))) };
}

/** The same wallet, signing for itself instead of its account. Its credentials work on any server. */
export function asWallet(depositor: Depositor): Depositor {
  return { ...depositor, kind: 'wallet', credentials: () => signatureOf(depositor) };
}

/** Pays the treasury without registering the transfer. */
export async function sendDeposit({ payer }: Depositor, micros: bigint, until?: PaidUntil): Promise<string> {
  return await payer.pay(payer.chain.treasury, micros, until);
}

export async function registerDeposit(
  url: string,
  depositor: Depositor,
  vault: string,
  micros: bigint,
  reference: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { headers, ...credentials } = await depositor.credentials();
  const body = { key: vault, amount_usd: formatUsd(micros), incoming_tx_hash: reference };
  return await call(url, 'POST /api/earn/pool/deposit', { ...credentials, headers: { ...headers, ...more }, body });
}

/** Pays, registers, and waits until the deposit has ended. */
export async function deposit(url: string, depositor: Depositor, vault: string, micros: bigint): Promise<Envelope> {
  const reference = await sendDeposit(depositor, micros);
  let reply = await registerDeposit(url, depositor, vault, micros, reference);
  // A venue's state is cached for a moment, so it may still count as paused.
  for (let tries = 0; tries < 20 && reply.body['code'] === 'earn_deposits_closed'; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    reply = await registerDeposit(url, depositor, vault, micros, reference);
  }
  assert.ok(reply.status === 200 || reply.status === 502, JSON.stringify(reply.body));
  const { deposit_id: id } = reply.body['data'] as { deposit_id: string };
  return await untilMoved(url, depositor, id, (movement) => ['deployed', 'refunded', 'held'].includes(movement['status']));
}

export async function withdraw(url: string, depositor: Depositor, vault: string, what: { shares?: string; all?: true }): Promise<Reply> {
  return await call(url, 'POST /api/earn/pool/withdraw', { ...(await depositor.credentials()), body: { key: vault, ...what } });
}

export async function readMovement(url: string, depositor: Depositor, id: string): Promise<Envelope> {
  return await expectCall(url, 200, `GET /api/earn/pool/movements/${id}`, await depositor.credentials());
}

export async function untilMoved(
  url: string,
  depositor: Depositor,
  id: string,
  isThere: (movement: Envelope) => boolean,
  seconds = 60,
): Promise<Envelope> {
  let movement: Envelope = {};
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; ) {
    movement = await readMovement(url, depositor, id);
    if (isThere(movement)) return movement;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${id} is still ${movement['status']}: ${movement['state_text']}`);
}

export async function readPositions(url: string, depositor: Depositor): Promise<Envelope[]> {
  return (await expectCall(url, 200, 'GET /api/earn/pool/positions', await depositor.credentials())) as unknown as Envelope[];
}

export async function usdcOf({ payer, serverWallet }: Depositor): Promise<bigint> {
  const addresses = [payer.address, ...(serverWallet === undefined ? [] : [serverWallet])];
  const balances = await Promise.all(addresses.map((address) => payer.chain.readBalances(address)));
  return balances.reduce((sum, { usdcMicros }) => sum + usdcMicros, 0n);
}
