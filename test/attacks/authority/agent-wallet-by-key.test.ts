/** A key may put the USDC of its agent's wallet into Earn. It must not turn that transfer into a purchase of anything else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPublicClient, type Hex, http } from 'viem';
import { fundWallet, openOwnedAgent } from '../../agent-wallets/stage.ts';
import { deposited, LEND, openSigner, USDC } from '../../earn/stage.ts';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { payloadIn } from '../../harness/copied-payments.ts';
import { call } from '../../harness/http.ts';
import { hireWith, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';
import { until } from '../../money/money.ts';

const NETWORK = 'base-mainnet';

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
  await deposited(market, await openSigner(market), 500);
});
after(() => market.close());

test('V04: a leaked key does not pay a thief’s service out of the agent’s wallet by the transfer of an Earn deposit', async () => {
  const { url } = market;
  const agent = await openOwnedAgent(url);
  await fundWallet(market, agent, NETWORK, { usdcMicros: 20n * USDC });
  const thief = await openProvider(url);
  const bait = await listService(url, thief, { price_usd: '5.00', title: 'Nothing at all' });
  const offer = await readOffer(market, url, bait, NETWORK);

  const body = { amount_usd: '5.5', key: LEND };
  const deposit = call(url, `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, body });
  const rpcUrl = market.localChains?.networks.find((one) => one.network === NETWORK)?.rpcUrl ?? '';
  const reader = createPublicClient({ transport: http(rpcUrl) });
  // The transfer is public on the chain.
  const reference = await until('the transfer', async () => {
    const { rows } = await market.database.pool.query(
      `select a.reference from outgoing_attempts a join wallet_movements m on m.id = a.intent_id where m.agent_id = $1`,
      [agent.id],
    );
    const hash = rows[0]?.reference as Hex | undefined;
    if (hash === undefined) return undefined;
    return (await reader.getTransactionReceipt({ hash }).catch(() => undefined)) === undefined ? undefined : hash;
  });
  const { input } = await reader.getTransaction({ hash: reference });
  const headers = { ...versionTwo(offer, payloadIn(input)), authorization: `Bearer ${agent.key}` };
  const taken = await hireWith(url, bait, headers, { brief: 'All of it for me.' });
  const placed = await deposit;
  requireOutcomes({
    hire: [taken, '409 payment_reserved', '409 payment_already_used', '402 payment_rejected'],
    'orders of the thief': [await countRows(market, 'orders', 'provider_agent_id', thief.id), 0],
  });
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  // The transfer still pays for the deposit that the wallet sent it for.
  await until('the deposit', async () => {
    const { rows } = await market.database.pool.query('select purpose from payment_claims where reference = $1', [reference]);
    return rows[0]?.purpose === 'earn_deposit' ? true : undefined;
  });
});
