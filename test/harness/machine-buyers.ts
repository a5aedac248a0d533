/** Programs that hire by paying, in every envelope: on servers with a shared database, over chains that outlive them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import type { PaymentRequirements } from '../../packages/server/src/platform/facilitator/facilitator.ts';
import { pay } from '../../packages/server/testing/facilitator-test-bench.ts';
import { payOnSolana } from '../../packages/server/testing/solana-test-facilitator.ts';
import { chainOf, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { call, type Reply } from './http.ts';
import type { ServerProcess, Settings } from './market.ts';
import { listService, openProvider, type Provider, walletOf } from './orders.ts';
import { openPayer, type PayableMarket, type Payer } from './payers.ts';
import type { TestWallet } from './people.ts';

export interface MachineStage extends SharedMoney {
  /** Two processes that share only their database, or the same one twice if a test wants one. */
  readonly servers: readonly [ServerProcess, ServerProcess];
  readonly urls: readonly [string, string];
  readonly provider: Provider;
  readonly serviceId: string;
}

export const PRICE_MICROS = 1_000_000n;
/** The price of the service for a machine. */
export const CHARGED_MICROS = 1_100_000n;

/** `hosted: false` for races: then the servers are processes that run at the same time. */
export async function openMachineStage(
  settings: Settings = {},
  { ownChains = false, processes = 2, hosted = true } = {},
): Promise<MachineStage> {
  const shared = await openSharedMoney({ ownChains, hosted });
  const [first, second] = await Promise.all(Array.from({ length: processes }, () => shared.startServer(settings)));
  assert.ok(first);
  const servers = [first, second ?? first] as const;
  const urls = [servers[0].url, servers[1].url] as const;
  const provider = await openProvider(urls[0]);
  const serviceId = await listService(urls[0], provider, { price_usd: '1.00' });
  return { ...shared, servers, urls, provider, serviceId };
}

export interface MachineBuyer extends TestWallet {
  readonly payer: Payer;
  /** The inner payload of a standard payment, as the official client makes it. */
  authorise(offer: PaymentRequirements): Promise<Record<string, unknown>>;
}

/** Undefined if version 1 of the protocol has no name for the network. */
export const firstVersionName = (network: NetworkName): string | undefined => networkFacts[network].x402v1Name ?? undefined;

/** A buyer with money on each network. */
export async function openMachineBuyers(market: PayableMarket): Promise<Record<NetworkName, MachineBuyer>> {
  const buyers = await Promise.all(networkNames.map(async (network) => [network, await openMachineBuyer(market, network)] as const));
  return Object.fromEntries(buyers) as Record<NetworkName, MachineBuyer>;
}

const FUNDS = 100n * CHARGED_MICROS;
const TEN_COINS = { evm: 10n ** 19n, solana: 10n ** 10n };

export async function openMachineBuyer(
  market: PayableMarket,
  network: NetworkName,
  usdcMicros = FUNDS,
  secret: Buffer = randomBytes(32),
): Promise<MachineBuyer> {
  const payer = openPayer(
    market,
    network,
    networkFacts[network].kind === 'solana' ? secret.toString('hex') : `0x${secret.toString('hex')}`,
  );
  const { chain, address } = payer;
  assert.ok(market.localChains);
  const rpcUrl = market.localChains.networks.find((one) => one.network === network)?.rpcUrl ?? '';
  await market.localChains.fund({ network, address, usdcMicros, native: TEN_COINS[chain.kind] });
  await until('the faucet', async () => ((await chain.readBalances(address)).usdcMicros >= usdcMicros ? true : undefined));
  return {
    ...walletOf(payer),
    payer,
    async authorise(offer) {
      const signed = payer.kind === 'evm' ? await pay(network, payer.wallet.account, offer) : await payOnSolana(secret, offer, rpcUrl);
      return { ...signed.payload };
    },
  };
}

/** The offer of the server in the standard header, for one network. */
export async function readOffer(
  { chains }: PayableMarket,
  url: string,
  serviceId: string,
  network: NetworkName,
): Promise<PaymentRequirements> {
  return offerIn({ chains }, await call(url, `GET /api/x402/discover/${serviceId}`), network);
}

/** The offer for one network in the header of a challenge. */
export function offerIn({ chains }: Pick<PayableMarket, 'chains'>, asked: Reply, network: NetworkName): PaymentRequirements {
  assert.equal(asked.status, 402, JSON.stringify(asked.body));
  const { accepts } = JSON.parse(Buffer.from(asked.headers.get('payment-required') ?? '', 'base64').toString()) as {
    accepts: PaymentRequirements[];
  };
  const offer = accepts.find((one) => one.network === chainOf({ chains }, network).caip2);
  assert.ok(offer, `a standard payment on ${network} is offered`);
  return offer;
}

export type Headers = Record<string, string>;

export const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

export const versionTwo = (
  accepted: PaymentRequirements,
  payload: Record<string, unknown>,
  extensions?: Record<string, unknown>,
): Headers => ({ 'payment-signature': encode({ x402Version: 2, accepted, payload, extensions }) });

export const versionOne = (network: NetworkName, payload: Record<string, unknown>): Headers => ({
  'x-payment': encode({ x402Version: 1, scheme: 'exact', network: firstVersionName(network), payload }),
});

/** One payment in each version that its network has. */
export const inEveryVersion = (network: NetworkName, offer: PaymentRequirements, payload: Record<string, unknown>): Headers[] => [
  versionTwo(offer, payload),
  ...(firstVersionName(network) === undefined ? [] : [versionOne(network, payload)]),
];

export const transferProof = (network: NetworkName, reference: string): Headers => ({
  'x-payment': reference,
  'x-payment-network': network,
});

export const MACHINE_BRIEF = 'A logo for a bakery.';

export async function hireWith(url: string, serviceId: string, headers: Headers, body: Record<string, unknown> = {}): Promise<Reply> {
  return await call(url, `POST /api/x402/pay?service_id=${serviceId}`, { headers, body: { brief: MACHINE_BRIEF, ...body } });
}

/** A fresh standard payment for the stage's service, as its headers. */
export async function signPayment(stage: MachineStage, buyer: MachineBuyer, serviceId = stage.serviceId): Promise<Headers> {
  const offer = await readOffer(stage, stage.urls[0], serviceId, buyer.payer.chain.network);
  return versionTwo(offer, await buyer.authorise(offer));
}

export interface HiredByMachine {
  readonly orderId: string;
  readonly reference: string;
  /** A token that reads. */
  readonly token: string | null;
  /** A token that acts. */
  readonly buyerToken: string | null;
}

export async function requireHired(reply: Promise<Reply> | Reply): Promise<HiredByMachine> {
  const { status, body } = await reply;
  assert.equal(status, 200, JSON.stringify(body));
  const { order_id: orderId, read_token: token, buyer_token: buyerToken, x402 } = body['data'];
  return { orderId, token, buyerToken, reference: x402.tx_signature };
}

/** Repeats the same payment until its outcome is known, as the answer tells buyers to. */
export async function hireUntilKnown(url: string, serviceId: string, headers: Headers): Promise<Reply> {
  return await until(
    'an outcome',
    async () => {
      const reply = await hireWith(url, serviceId, headers);
      return reply.status === 503 ? undefined : reply;
    },
    60,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
export async function askNode({ localChains }: PayableMarket, network: NetworkName, method: string, params: unknown[]): Promise<any> {
  const url = localChains?.networks.find((one) => one.network === network)?.rpcUrl ?? '';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  assert.ok(answer.error === undefined, answer.error?.message);
  return answer.result;
}

/** The number of transactions on the chain by the sender of this one. */
export async function countSent(stage: PayableMarket, network: NetworkName, reference: string): Promise<number> {
  if (network === 'solana-mainnet') {
    const { transaction } = await askNode(stage, network, 'getTransaction', [
      reference,
      { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
    ]);
    const [feePayer] = transaction.message.accountKeys;
    return (await askNode(stage, network, 'getSignaturesForAddress', [feePayer, { commitment: 'confirmed' }])).length;
  }
  const { from } = await askNode(stage, network, 'eth_getTransactionByHash', [reference]);
  return Number(await askNode(stage, network, 'eth_getTransactionCount', [from, 'pending']));
}

export async function countOrders({ database }: SharedMoney, network?: NetworkName): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from orders where kind = 'machine' and payment_network = coalesce($1, payment_network)`,
    [network],
  );
  return rows[0]?.count ?? 0;
}

/** The buyers' balances on chain and the number of orders: unchanged if nothing was charged or granted. */
export async function readHoldings(shared: SharedMoney, buyers: readonly MachineBuyer[]): Promise<readonly (bigint | number)[]> {
  const held = buyers.map(async ({ payer, address }) => (await payer.chain.readBalances(address)).usdcMicros);
  return [...(await Promise.all(held)), await countOrders(shared)];
}
