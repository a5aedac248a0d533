/** Journeys of a program over MCP alone, on any transport: a hire, a bounty, a launch, a deposit. */
import assert from 'node:assert/strict';
import { LEND } from '../earn/stage.ts';
import { allowPayer } from '../harness/agents.ts';
import { acceptClaim, postBounty } from '../harness/bounties.ts';
import type { TestMarket } from '../harness/market.ts';
import { BRIEF, openBuyer, untilTransferred, usdcOn } from '../harness/orders.ts';
import { agentBody, baseWallet, ownSymbol, signed, type TestWallet } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { giveSol, openLaunchAgent } from '../tokens/launches/stage.ts';
import type { McpAgent } from './stdio-client.ts';

export interface McpStage {
  readonly market: TestMarket;
  /** A client that acts with this key. */
  open(apiKey: string): Promise<McpAgent>;
  /** Calls `market_register_agent`, and acts as the new agent from then on. */
  register(args: Record<string, unknown>): Promise<{ readonly id: string; readonly agent: McpAgent }>;
}

type Registered = Awaited<ReturnType<McpStage['register']>>;

/** Registers with its owner's signature; the owner's wallet is also paid. */
async function registerOwned(stage: McpStage, owner: TestWallet): Promise<Registered> {
  const { wallet, ...signature } = await signed(owner);
  const registered = await stage.register({ ...agentBody(), owner_wallet: wallet, ...signature });
  // The agent's key may pay with transfers of the owner's wallet.
  assert.equal((await allowPayer(stage.market.url, owner, registered.id)).status, 200);
  return registered;
}

/** Register, list, order, pay, deliver, approve; then the provider has its money on chain. */
export async function hireOverMcp(stage: McpStage): Promise<void> {
  const { market } = stage;
  const [payer, owner] = [await openBuyer(market, 'base-mainnet'), baseWallet()];
  const [seller, buyer] = await Promise.all([registerOwned(stage, owner), registerOwned(stage, payer)]);
  const service = await seller.agent.call('market_create_service', {
    agent_id: seller.id,
    category: 'custom',
    title: 'Tideline almanac checks',
    description: 'Compares every tide table with the harbour record, and says where they differ.',
    price_usd: '10.00',
    price_type: 'fixed',
  });

  const found = await buyer.agent.call('market_search_agents', { query: 'tideline almanac' });
  assert.ok(found.some(({ service_id }: { service_id: string }) => service_id === service.id));
  const { payTo, maxAmountRequired } = requirementIn(
    await buyer.agent.call('market_get_payment_requirements', { service_id: service.id, chain: 'base' }),
  );
  assert.equal(maxAmountRequired, '11000000');
  const wanted = { service_id: service.id, brief: BRIEF, chain: 'base', settlement: 'on_approval' };
  const reference = await payer.payer.pay(payTo, BigInt(maxAmountRequired));
  const hired = await buyer.agent.call('market_submit_payment', { ...wanted, tx_signature: reference });

  const order_id = hired.order_id as string;
  const waiting = await seller.agent.call('market_poll_orders', { agent_id: seller.id, status: 'paid' });
  assert.deepEqual(
    waiting.map(({ id }: { id: string }) => id),
    [order_id],
  );
  await seller.agent.call('market_deliver_order', {
    order_id,
    deliverable_url: 'https://example.com/tides',
    deliverable_media_type: 'link',
  });
  const delivered = await buyer.agent.call('market_get_order', { order_id });
  assert.deepEqual([delivered.order.status, delivered.viewer_role], ['delivered', 'buyer']);
  assert.equal((await buyer.agent.call('market_approve_order', { order_id })).status, 'completed');
  await untilTransferred(market.url, order_id, payer, 'payout');
  assert.equal(await usdcOn(market.url, 'base-mainnet', owner.address), '10.00');
  await Promise.all([seller.agent.close(), buyer.agent.close()]);
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire, picked apart by the tests.
function requirementIn(answer: any): { payTo: string; maxAmountRequired: string } {
  const requirement = answer.accepts?.[0] ?? answer;
  assert.ok(requirement.payTo, JSON.stringify(answer));
  return { payTo: requirement.payTo, maxAmountRequired: requirement.maxAmountRequired ?? requirement.amount };
}

/** An agent finds a bounty, claims it, and delivers the order that the poster's acceptance made. */
export async function bountyOverMcp(stage: McpStage): Promise<void> {
  const { market } = stage;
  const poster = await openBuyer(market, 'base-mainnet');
  const { bounty_id: posted, id = posted } = await postBounty(market.url, poster);
  const { id: agentId, agent } = await registerOwned(stage, baseWallet());
  const open = await agent.call('market_list_bounties', { category: 'analytics', sort: 'deadline_asc' });
  assert.ok(open.some((bounty: { id: string }) => bounty.id === id));
  const withdrawn = await agent.call('market_claim_bounty', { bounty_id: id, message: 'I do this every week.' });
  assert.equal(withdrawn.status, 'pending');
  await agent.call('market_withdraw_claim', { bounty_id: id });
  const claim = await agent.call('market_claim_bounty', { bounty_id: id, message: 'I do this every week, and have read the export.' });
  const order_id = await acceptClaim(market, id, claim.claim_id, poster);
  assert.equal((await agent.call('market_get_bounty', { bounty_id: id })).status, 'claimed');
  assert.deepEqual(
    (await agent.call('market_poll_orders', { agent_id: agentId })).map((order: { id: string }) => order.id),
    [order_id],
  );
  const delivered = await agent.call('market_deliver_order', {
    order_id,
    deliverables: [{ deliverable_url: 'https://example.com/differences', deliverable_media_type: 'link' }],
  });
  assert.equal(delivered.status, 'delivered');
  await agent.close();
}

/** An agent with SOL in its wallet launches its token; the market must be allowed to fetch `picture`. */
export async function launchOverMcp(stage: McpStage, picture: string): Promise<void> {
  const symbol = ownSymbol();
  const launcher = await openLaunchAgent(stage.market.url, { avatar_url: picture });
  const agent = await stage.open(launcher.key);
  const poor = await agent.try('market_launch_token', { agent_id: launcher.id, symbol });
  assert.deepEqual([poor.isError, (poor.structuredContent as { status: number }).status], [true, 402]);
  await giveSol(stage.market, launcher);
  const { mint, tx_signature } = await agent.call('market_launch_token', { agent_id: launcher.id, symbol });
  assert.ok(tx_signature);
  const token = await agent.call('market_get_token', { agent_id: launcher.id });
  assert.deepEqual([token.token_mint, token.token_symbol], [mint, symbol]);
  await agent.close();
}

/** Deposits USDC into a vault, reads the positions, and withdraws. */
export async function depositOverMcp(stage: McpStage): Promise<void> {
  const { market } = stage;
  const payer = await openBuyer(market, 'base-mainnet');
  const { agent } = await registerOwned(stage, payer);
  const { markets = [] } = await agent.call('market_earn_markets');
  assert.ok(Array.isArray(markets));
  const reference = await payer.payer.pay(payer.payer.chain.treasury, 120_000_000n);
  const deposit = await agent.call('market_earn_deposit', { key: LEND, amount_usd: '120', incoming_tx_hash: reference });
  assert.ok(deposit.deposit_id);
  const position = await until('the position', async () => {
    const positions = (await agent.call('market_earn_positions')) as { key: string; shares: string }[];
    return positions.find(({ key, shares }) => key === LEND && Number(shares) > 0);
  });
  const withdrawal = await agent.call('market_earn_withdraw', { key: position.key, all: true });
  assert.ok(withdrawal.withdrawal_id);
  await agent.close();
}
