/** One good call of each of the 39 tools, in an order in which each finds what it needs. Steps without a tool are made over REST. */
import assert from 'node:assert/strict';
import { LEND } from '../earn/stage.ts';
import { allowPayer } from '../harness/agents.ts';
import { postBounty } from '../harness/bounties.ts';
import { expectCall } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { BRIEF, type Buyer, listService, openBuyer, walletOf } from '../harness/orders.ts';
import type { SolanaPayer } from '../harness/payers.ts';
import { agentBody, ownSymbol, signed, type TestWallet } from '../harness/people.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { until } from '../money/money.ts';
import { giveSol, type LaunchAgent, openLaunchAgent } from '../tokens/launches/stage.ts';
import type { McpStage } from './journeys.ts';
import type { McpAgent } from './stdio-client.ts';

export type Arguments = Record<string, unknown>;

export interface Member {
  readonly id: string;
  readonly key: string;
  readonly agent: McpAgent;
}

export interface World {
  readonly market: TestMarket;
  readonly seller: Member;
  readonly buyer: Member;
  /** Registers another agent; a local server then acts as that agent. */
  readonly newcomer: Pick<Member, 'agent'>;
  readonly launcher: LaunchAgent & { readonly agent: McpAgent };
  /** Owns the buyer, and pays for it. */
  readonly payer: Buyer;
  /** Owns the seller, and makes tokens. */
  readonly maker: SolanaPayer;
  readonly service: string;
  readonly bounty: string;
}

export interface ToolCase {
  readonly tool: string;
  readonly as: 'seller' | 'buyer' | 'launcher' | 'newcomer';
  readonly good: (world: World) => Arguments | Promise<Arguments>;
  /** The code with which the specification refuses even a good call. */
  readonly refusedWith?: string;
}

export async function openWorld(stage: Pick<McpStage, 'market' | 'open'>, picture: string): Promise<World> {
  const { market } = stage;
  const [payer, maker] = [await openBuyer(market, 'base-mainnet'), await createMaker(market)];
  const seller = await member(stage, walletOf(maker));
  const buyer = await member(stage, payer);
  const launcher = await openLaunchAgent(market.url, { avatar_url: picture });
  await giveSol(market, launcher);
  const service = await listService(market.url, asProvider(seller), { price_usd: '1.00' });
  const { bounty_id, id = bounty_id } = await postBounty(market.url, payer);
  return {
    market,
    seller,
    buyer,
    newcomer: { agent: await stage.open(buyer.key) },
    payer,
    maker,
    service,
    bounty: id,
    launcher: { ...launcher, agent: await stage.open(launcher.key) },
  };
}

async function member(stage: Pick<McpStage, 'market' | 'open'>, owner: TestWallet): Promise<Member> {
  const { wallet, ...signature } = await signed(owner);
  const body = { ...agentBody(), owner_wallet: wallet, ...signature };
  const { agent_id: id, api_key: key } = await expectCall(stage.market.url, 201, 'POST /api/agents/register', { body });
  // The agent's key may pay with transfers of the owner's wallet.
  assert.equal((await allowPayer(stage.market.url, owner, id)).status, 200);
  return { id, key, agent: await stage.open(key) };
}

const asProvider = ({ id, key }: Member) => ({ id, headers: { authorization: `Bearer ${key}` } });
const signatureOf = async (wallet: TestWallet): Promise<Arguments> => ({ ...(await signed(wallet)) });

/** An order of the buyer, set to a status without a payment. */
async function orderIn(world: World, status?: 'paid' | 'in_progress' | 'completed', more: Arguments = {}): Promise<string> {
  const { market, buyer, service } = world;
  const body = { service_id: service, brief: BRIEF, ...more };
  const { order_id: id } = await expectCall(market.url, 200, 'POST /api/orders', { key: buyer.key, body });
  if (status !== undefined) await setOrderStatus(market, [id], status);
  return id;
}

async function deliveredOrder(world: World): Promise<string> {
  const id = await orderIn(world, 'in_progress');
  await world.seller.agent.call('market_deliver_order', { order_id: id, ...delivery });
  return id;
}

/** A hire with a real payment, so that approving it pays the seller. */
async function paidHire({ market, payer, service }: World): Promise<Arguments> {
  const chain = market.chains.get('base-mainnet');
  assert.ok(chain);
  const tx_signature = await payer.payer.pay(chain.treasury, 1_100_000n);
  return { service_id: service, brief: BRIEF, tx_signature, chain: 'base', settlement: 'on_approval' };
}

const delivery = { deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' };
const listing = {
  category: 'custom',
  title: 'Careful proofreading of almanacs',
  description: 'Reads a text twice and marks every slip with a reason, in plain words.',
  price_usd: '10.00',
  price_type: 'fixed',
};

const agentCases: readonly ToolCase[] = [
  { tool: 'register_agent', as: 'newcomer', good: () => agentBody() },
  { tool: 'get_profile', as: 'seller', good: () => ({}) },
  { tool: 'update_profile', as: 'seller', good: () => ({ description: 'Does careful work, and says what it did.' }) },
  { tool: 'verify_twitter', as: 'seller', good: () => ({ tweet_url: 'https://x.com/a/status/1' }), refusedWith: 'endpoint_gone' },
  {
    tool: 'manage_portfolio',
    as: 'seller',
    async good(world) {
      const source_id = await orderIn(world, 'completed', { allow_portfolio: true });
      return { agent_id: world.seller.id, action: 'hide', source_type: 'order', source_id };
    },
  },
];

const serviceCases: readonly ToolCase[] = [
  { tool: 'list_services', as: 'buyer', good: ({ seller }) => ({ agent_id: seller.id }) },
  { tool: 'create_service', as: 'seller', good: ({ seller }) => ({ agent_id: seller.id, ...listing }) },
  { tool: 'update_service', as: 'seller', good: ({ service }) => ({ service_id: service, turnaround_hours: 12 }) },
  {
    tool: 'delete_service',
    as: 'seller',
    good: async ({ market, seller }) => ({ service_id: await listService(market.url, asProvider(seller)) }),
  },
];

const orderCases: readonly ToolCase[] = [
  { tool: 'poll_orders', as: 'seller', good: ({ seller }) => ({ agent_id: seller.id, status: 'paid,completed' }) },
  { tool: 'get_order', as: 'buyer', good: async (world) => ({ order_id: await orderIn(world) }) },
  {
    tool: 'quote_order',
    as: 'seller',
    async good(world) {
      const onRequest = { ...listing, title: 'Almanacs on request', price_type: 'quote', price_usd: '0' };
      const service = await listService(world.market.url, asProvider(world.seller), onRequest);
      return { order_id: await orderIn(world, undefined, { service_id: service }), price_usd: '12.50' };
    },
  },
  { tool: 'deliver_order', as: 'seller', good: async (world) => ({ order_id: await orderIn(world, 'in_progress'), ...delivery }) },
  {
    tool: 'approve_order',
    as: 'buyer',
    async good(world) {
      const { order_id } = await world.buyer.agent.call('market_submit_payment', await paidHire(world));
      await world.seller.agent.call('market_deliver_order', { order_id, ...delivery });
      return { order_id };
    },
  },
  { tool: 'cancel_order', as: 'buyer', good: async (world) => ({ order_id: await orderIn(world) }) },
  {
    tool: 'request_revision',
    as: 'buyer',
    good: async (world) => ({ order_id: await deliveredOrder(world), feedback: 'Please mark the slips in red.' }),
  },
  {
    tool: 'dispute_order',
    as: 'buyer',
    good: async (world) => ({ order_id: await deliveredOrder(world), reason: 'Half of the pages are missing.' }),
  },
  { tool: 'send_message', as: 'buyer', good: async (world) => ({ order_id: await orderIn(world, 'paid'), content: 'When do you begin?' }) },
  { tool: 'get_messages', as: 'seller', good: async (world) => ({ order_id: await orderIn(world, 'paid') }) },
];

const bountyCases: readonly ToolCase[] = [
  { tool: 'list_bounties', as: 'seller', good: () => ({ status: 'open', sort: 'deadline_asc' }) },
  { tool: 'get_bounty', as: 'seller', good: ({ bounty }) => ({ bounty_id: bounty }) },
  { tool: 'claim_bounty', as: 'seller', good: ({ bounty }) => ({ bounty_id: bounty, message: 'I do this every week.' }) },
  { tool: 'withdraw_claim', as: 'seller', good: ({ bounty }) => ({ bounty_id: bounty }) },
];

const tokenCases: readonly ToolCase[] = [
  { tool: 'get_token', as: 'buyer', good: ({ launcher }) => ({ agent_id: launcher.id }) },
  {
    tool: 'register_token',
    as: 'seller',
    async good({ seller, maker }) {
      const { mint, token_name, token_symbol } = await makeToken(maker);
      const owner = walletOf(maker);
      const token = { token_mint: mint, token_name, token_symbol, token_mode: 'pumpfun' };
      return { agent_id: seller.id, ...token, token_creator_wallet: owner.address, ...(await signatureOf(owner)) };
    },
  },
  { tool: 'launch_token', as: 'launcher', good: ({ launcher }) => ({ agent_id: launcher.id, symbol: ownSymbol() }) },
];

const earnCases: readonly ToolCase[] = [
  { tool: 'earn_markets', as: 'buyer', good: () => ({}) },
  { tool: 'earn_positions', as: 'buyer', good: () => ({}) },
  {
    tool: 'earn_deposit',
    as: 'buyer',
    async good({ payer: { payer } }) {
      return { key: LEND, amount_usd: '120', incoming_tx_hash: await payer.pay(payer.chain.treasury, 120_000_000n) };
    },
  },
  {
    tool: 'earn_withdraw',
    as: 'buyer',
    async good({ buyer }) {
      await until('the position', async () => {
        const positions = (await buyer.agent.call('market_earn_positions')) as { key: string; shares: string }[];
        return positions.find(({ key, shares }) => key === LEND && Number(shares) > 0);
      });
      return { key: LEND, all: true };
    },
  },
];

const hireCases: readonly ToolCase[] = [
  { tool: 'search_agents', as: 'buyer', good: () => ({ query: 'proofreading', limit: 5 }) },
  { tool: 'get_payment_requirements', as: 'buyer', good: ({ service }) => ({ service_id: service, chain: 'base' }) },
  { tool: 'submit_payment', as: 'buyer', good: paidHire },
];

const discoveryCases: readonly ToolCase[] = [
  { tool: 'browse_agents', as: 'buyer', good: () => ({ limit: 5, page: 1 }) },
  { tool: 'featured_agents', as: 'buyer', good: () => ({}) },
  { tool: 'platform_stats', as: 'buyer', good: () => ({}) },
  { tool: 'activity_feed', as: 'buyer', good: () => ({ filter: 'order', limit: 5 }) },
  { tool: 'get_market_data', as: 'buyer', good: () => ({ mints: ['So11111111111111111111111111111111111111112'] }) },
  { tool: 'list_models', as: 'buyer', good: () => ({}) },
];

export const toolCases: readonly ToolCase[] = [
  ...agentCases,
  ...serviceCases,
  ...orderCases,
  ...bountyCases,
  ...tokenCases,
  ...earnCases,
  ...hireCases,
  ...discoveryCases,
];
