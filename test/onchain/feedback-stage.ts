/** A registered agent with reviewed orders, and wallets that publish the reviews. */
import assert from 'node:assert/strict';
import { REPUTATION_REGISTRY_ADDRESS, sandboxReputationRegistry } from '@market/sandbox/evm';
import { createPublicClient, type Hex, http } from 'viem';
import { fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { act, type Buyer, deliver, listService, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { type EvmPayer, untilLanded } from '../harness/payers.ts';
import { asHeaders, signed, type TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { ENOUGH_WEI, register, untilRegistered } from './stage.ts';

export interface ReviewedAgent extends Provider {
  readonly token: string;
  readonly serviceId: string;
  readonly onchainId: string;
}

/** An agent with a service, in the Identity Registry. */
export async function openRegisteredAgent(market: TestMarket): Promise<ReviewedAgent> {
  const agent: OwnedAgent = await openOwnedAgent(market.url);
  await fundWallet(market, agent, 'base-mainnet', { native: ENOUGH_WEI });
  const reply = await register(market.url, agent);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { agent_id: onchainId } = await untilRegistered(market.url, agent);
  const headers = { authorization: `Bearer ${agent.key}` };
  const serviceId = await listService(market.url, { id: agent.id, headers });
  return { ...agent, headers, serviceId, onchainId };
}

/** A paid, delivered, accepted and reviewed order. */
export async function reviewedOrder(
  { url }: TestMarket,
  agent: Pick<ReviewedAgent, 'serviceId' | 'headers'>,
  buyer: Buyer,
  review: { rating: number; comment?: string } = { rating: 5, comment: 'Exact.' },
): Promise<string> {
  const order = await placeOrder(url, agent.serviceId, buyer);
  await payOrder(url, order, buyer, 'confirmed');
  await expectCall(url, 200, `POST /api/orders/${order}/start`, { headers: agent.headers });
  assert.equal((await deliver(url, order, agent)).status, 200);
  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  await expectCall(url, 200, `POST /api/orders/${order}/review`, { headers: asHeaders(await signed(buyer)), body: review });
  return order;
}

export const feedbackRoute = (order: string) => `/api/orders/${order}/onchain-feedback` as const;

export async function readFeedback(url: string, order: string, who: TestWallet): Promise<Envelope> {
  return await expectCall(url, 200, `GET ${feedbackRoute(order)}`, { headers: asHeaders(await signed(who)) });
}

export async function prepare(url: string, order: string, who: TestWallet, client_wallet = who.address): Promise<Reply> {
  return await call(url, `POST ${feedbackRoute(order)}/prepare`, { headers: asHeaders(await signed(who)), body: { client_wallet } });
}

export async function record(url: string, order: string, who: TestWallet, tx_hash: string): Promise<Reply> {
  return await call(url, `POST ${feedbackRoute(order)}`, { headers: asHeaders(await signed(who)), body: { tx_hash } });
}

/** Sends the call as a wallet does, with the given `data` and `to`. */
export async function sendCall(payer: EvmPayer, { to, data }: { to: string; data: string }): Promise<string> {
  const reference = await payer.wallet.sendTransaction({ to: to as Hex, data: data as Hex, gas: 800_000n });
  await untilLanded(payer.chain, reference, 'seen');
  return reference;
}

export async function untilPublished(url: string, order: string, who: TestWallet): Promise<Envelope> {
  return await until(`the publication of ${order}`, async () => {
    const feedback = await readFeedback(url, order, who);
    return feedback['status'] === 'published' ? feedback : undefined;
  });
}

export function evmPayerOf({ payer }: Buyer): EvmPayer {
  assert.equal(payer.kind, 'evm');
  return payer;
}

/** The registry on chain, read without our own readers. */
export function openReputation({ localChains }: Pick<TestMarket, 'localChains'>) {
  const base = localChains?.networks.find(({ network }) => network === 'base-mainnet');
  assert.ok(base);
  const client = createPublicClient({ transport: http(base.rpcUrl) });
  const contract = { address: REPUTATION_REGISTRY_ADDRESS, abi: sandboxReputationRegistry.abi } as const;
  return {
    caip10: `${base.caip2}:${REPUTATION_REGISTRY_ADDRESS}`,
    lastIndex: (id: string, wallet: string) =>
      client.readContract({ ...contract, functionName: 'getLastIndex', args: [BigInt(id), wallet as Hex] }),
    read: (id: string, wallet: string, index: bigint) =>
      client.readContract({ ...contract, functionName: 'readFeedback', args: [BigInt(id), wallet as Hex, index] }),
    summary: (id: string, wallet: string) =>
      client.readContract({ ...contract, functionName: 'getSummary', args: [BigInt(id), [wallet as Hex], 'starred', ''] }),
  };
}
