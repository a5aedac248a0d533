/** Many hires between two agents with keys: no signature per request, and payments sent in one batch. */
import assert from 'node:assert/strict';
import { type NetworkName, networkFacts } from '@market/contract';
import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { registerPayingAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { BRIEF, listService, openProvider, type Provider, walletOf } from '../harness/orders.ts';
import { createPayer, type EvmPayer, type PayableMarket, untilLanded } from '../harness/payers.ts';
import { chainOf, USDC } from '../money/money.ts';

/** A buying agent whose owner pays, a working agent, and a service between them. */
export interface Trade {
  readonly buyer: TestAgent;
  readonly payer: EvmPayer;
  readonly provider: Provider;
  readonly serviceId: string;
}

const PRICE = '1.00';
const PRICE_MICROS = USDC;

export type EvmNetwork = Exclude<NetworkName, 'solana-mainnet'>;

export async function openTrade(
  market: PayableMarket,
  url: string,
  { network = 'base-mainnet', service = {} }: { network?: EvmNetwork; service?: Record<string, unknown> } = {},
): Promise<Trade> {
  const payer = (await createPayer(market, network)) as EvmPayer;
  const buyer = await registerPayingAgent(url, walletOf(payer));
  const provider = await openProvider(url, network);
  return {
    buyer,
    payer,
    provider,
    serviceId: await listService(url, provider, { price_usd: PRICE, ...service }),
  };
}

/** Processes `items`, at most `atOnce` in parallel. */
export async function inTurns<T, R>(items: readonly T[], atOnce: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

const SEEDED_AT_ONCE = 8;

/** Orders brought to this status over HTTP, with real payments on the chain. */
export async function openOrders(
  market: PayableMarket,
  url: string,
  trade: Trade,
  count: number,
  upTo: 'paid' | 'delivered',
): Promise<string[]> {
  const references = await sendPayments(market, trade, count);
  return await inTurns(references, SEEDED_AT_ONCE, async (reference) => {
    const orderId = await placeOrder(url, trade);
    requireDone(await submitPayment(url, trade, orderId, reference));
    if (upTo === 'delivered') requireDone(await deliver(url, trade, orderId));
    return orderId;
  });
}

function requireDone({ status, body }: Reply): void {
  assert.equal(status, 200, JSON.stringify(body));
}

/** Sends that many transfers of the price, or of `micros`, to the treasury; returns when the last one has landed or is final, as asked. */
export async function sendPayments(
  market: PayableMarket,
  { payer }: Pick<Trade, 'payer'>,
  count: number,
  until: 'confirmed' | 'final' = 'final',
  micros = PRICE_MICROS,
): Promise<string[]> {
  const { wallet, reader, chain } = payer;
  const args = [chainOf(market, chain.network).treasury as Address, micros] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const like = await wallet.prepareTransactionRequest({ to: chain.usdcAddress as Address, data, gas: 100_000n });
  const first = await reader.getTransactionCount({ address: wallet.account.address });
  const references = await inTurns([...Array(count).keys()], SEEDED_AT_ONCE, async (index) => {
    const serializedTransaction = await wallet.signTransaction({ ...like, nonce: first + index });
    return await wallet.sendRawTransaction({ serializedTransaction });
  });
  await untilLanded(chain, references.at(-1) ?? '', until);
  return references;
}

export async function placeOrder(url: string, { buyer, serviceId }: Trade): Promise<string> {
  const reply = await call(url, 'POST /api/orders', { key: buyer.key, body: { service_id: serviceId, brief: BRIEF } });
  requireDone(reply);
  return String(reply.body['data'].order_id);
}

/** Sends a command of the buyer, by key. */
export async function buyerDoes(url: string, { buyer }: Trade, orderId: string, action: string, fields: object = {}): Promise<Reply> {
  return await call(url, `PATCH /api/orders/${orderId}`, { key: buyer.key, body: { action, ...fields } });
}

/** Sends a command of the provider, by key. */
export async function providerDoes(url: string, { provider }: Trade, orderId: string, action: string, fields: object = {}): Promise<Reply> {
  return await call(url, `PATCH /api/orders/${orderId}`, { key: provider.key, body: { action, ...fields } });
}

export async function deliver(url: string, { provider }: Trade, orderId: string, more: Record<string, unknown> = {}): Promise<Reply> {
  return await call(url, `POST /api/orders/${orderId}/deliver`, { key: provider.key, body: { content: 'Here it is.', ...more } });
}

export async function quote(url: string, { provider }: Trade, orderId: string, price_usd: string): Promise<Reply> {
  return await call(url, `POST /api/orders/${orderId}/quote`, { key: provider.key, body: { price_usd } });
}

export async function start(url: string, { provider }: Trade, orderId: string): Promise<Reply> {
  return await call(url, `POST /api/orders/${orderId}/start`, { key: provider.key });
}

export async function submitPayment(url: string, trade: Trade, orderId: string, reference: string): Promise<Reply> {
  const payment_chain = networkFacts[trade.payer.chain.network].chain;
  return await buyerDoes(url, trade, orderId, 'pay', { escrow_tx_hash: reference, payment_chain });
}
