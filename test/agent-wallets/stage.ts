/** Agents with an owner and money in their wallets, and the calls that tests make with them. */
import assert from 'node:assert/strict';
import type { NetworkName } from '@market/contract';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { PayableMarket } from '../harness/payers.ts';
import { asHeaders, baseWallet, signed, signedFor, type TestWallet, tokenFor } from '../harness/people.ts';

export interface OwnedAgent extends TestAgent {
  readonly owner: TestWallet;
  /** Sign-in token of the account that the owner wallet is linked to. */
  readonly token: string;
  readonly solana: string;
  readonly evm: string;
}

let people = 0;

/** Registers an agent of a wallet that is linked to an account. */
export async function openOwnedAgent(url: string, owner: TestWallet = baseWallet()): Promise<OwnedAgent> {
  people += 1;
  const wallets = [{ chain: 'base', address: owner.address }];
  const token = await tokenFor(url, { email: `wallet-owner-${process.pid}-${people}@example.com`, wallets });
  await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(url, { owner_wallet: owner.address, ...(await signed(owner)) });
  const funding = await expectCall(url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  return { ...agent, owner, token, solana: funding['deposit_address'], evm: funding['evm_address'] };
}

/** Registers an agent of an account alone. `owner` has just been linked to the account. */
export async function openAccountAgent(url: string, owner: TestWallet = baseWallet()): Promise<OwnedAgent> {
  people += 1;
  const wallets = [{ chain: 'base', address: owner.address }];
  const token = await tokenFor(url, { email: `account-owner-${process.pid}-${people}@example.com`, wallets });
  await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  const agent = await registerAgent(url, {}, { key: token });
  const funding = await expectCall(url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  return { ...agent, owner, token, solana: funding['deposit_address'], evm: funding['evm_address'] };
}

export function walletOn(agent: OwnedAgent, network: NetworkName): string {
  return network === 'solana-mainnet' ? agent.solana : agent.evm;
}

export const chainWord = { 'solana-mainnet': 'solana', 'base-mainnet': 'base', 'alt-mainnet': 'alt' } as const satisfies Record<
  NetworkName,
  string
>;

export async function fundWallet(market: PayableMarket, agent: OwnedAgent, network: NetworkName, amounts: Amounts): Promise<void> {
  await fundAddress(market, network, walletOn(agent, network), amounts);
}

interface Amounts {
  readonly usdcMicros?: bigint;
  readonly native?: bigint;
}

export async function fundAddress(
  market: PayableMarket,
  network: NetworkName,
  address: string,
  { usdcMicros = 0n, native = 0n }: Amounts,
): Promise<void> {
  const chain = market.chains.get(network);
  assert.ok(chain && market.localChains);
  const before = await chain.readBalances(address);
  await market.localChains.fund({ network, address, usdcMicros, native });
  for (let look = 0; look < 200; look++) {
    const has = await chain.readBalances(address);
    if (has.usdcMicros >= before.usdcMicros + usdcMicros && has.native >= before.native + native) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the faucet of ${network} did not fund ${address}`);
}

type Route = `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** Sends a call with a custody signature over this very request. */
export async function callSigned(
  url: string,
  wallet: TestWallet,
  route: Route,
  body: Record<string, unknown>,
  publicUrl = url,
): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ');
  return await call(url, route, { headers: asHeaders(await signedFor(publicUrl, wallet, { method, path, body })), body });
}

/** Sends a call as `callSigned` does, with the owner's account beside. */
export async function callVouched(
  url: string,
  { token, owner }: Pick<OwnedAgent, 'token' | 'owner'>,
  route: Route,
  body: Record<string, unknown>,
): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ');
  return await call(url, route, { key: token, headers: asHeaders(await signedFor(url, owner, { method, path, body })), body });
}

export async function send(url: string, agent: OwnedAgent, body: Record<string, unknown>): Promise<Reply> {
  return await callSigned(url, agent.owner, `POST /api/agents/${agent.id}/wallet/send`, body);
}

export async function setWithdrawAddress(url: string, agent: OwnedAgent, body: Record<string, unknown>): Promise<Reply> {
  return await callSigned(url, agent.owner, `PUT /api/agents/${agent.id}/withdraw-address`, body);
}

export async function readMoves(url: string, options: CallOptions, query = ''): Promise<Envelope[]> {
  return (await expectCall(url, 200, `GET /api/moves${query}`, options)) as unknown as Envelope[];
}

/** The move, once it no longer waits. */
export async function untilEnded(url: string, options: CallOptions, id: string): Promise<Envelope> {
  for (let look = 0; look < 300; look++) {
    const move = (await readMoves(url, options)).find((one) => one['id'] === id);
    if (move !== undefined && move['status'] !== 'waiting') return move;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${id} still waits`);
}

export async function readLog(url: string, agent: OwnedAgent): Promise<Envelope[]> {
  return (await expectCall(url, 200, `GET /api/agents/${agent.id}/wallet/log`, { key: agent.key })) as unknown as Envelope[];
}
