/**
 * An authorisation (EIP-3009) is public as soon as a transaction carries it: in the nodes' queue, in early blocks, or in a failed
 * transaction. The chain does not show it as used then, and the service does not know which purchase its payer meant, if any.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Hex, parseTransaction } from 'viem';
import { fundWallet, type OwnedAgent, openOwnedAgent } from '../../agent-wallets/stage.ts';
import { deposited, LEND, openSigner, USDC } from '../../earn/stage.ts';
import { countRows, requireOutcomes } from '../../harness/authority.ts';
import { payloadIn } from '../../harness/copied-payments.ts';
import { call } from '../../harness/http.ts';
import { hireWith, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';
import { until } from '../../money/money.ts';

const NETWORK = 'base-mainnet';
const REFUSED = ['409 payment_reserved', '409 payment_already_used', '402 payment_rejected'] as const;

let market: TestMarket;
before(async () => {
  market = await openMarket(withOwnChains);
  await deposited(market, await openSigner(market), 500);
});
after(() => market.close());

/** The call data of a transaction that waits in the nodes' queue, in no block yet. */
async function seenOnItsWay(agent: OwnedAgent): Promise<Hex> {
  const bytes = await until('the sent transaction', async () => {
    const { rows } = await market.database.pool.query<{ signed_bytes: string }>(
      `select a.signed_bytes from outgoing_attempts a join wallet_movements m on m.id = a.intent_id where m.agent_id = $1 and a.state <> 'signed'`,
      [agent.id],
    );
    return rows[0]?.signed_bytes;
  });
  const raw = (bytes.startsWith('0x') ? bytes : `0x${Buffer.from(bytes, 'base64').toString('hex')}`) as `0x02${string}`;
  return parseTransaction(raw).data ?? '0x';
}

test('V04, V15: a stranger who sees the transfer of an agent’s Earn deposit before its block buys nothing with it', async () => {
  const { url } = market;
  const agent = await openOwnedAgent(url);
  await fundWallet(market, agent, NETWORK, { usdcMicros: 20n * USDC });
  const thief = await openProvider(url);
  const bait = await listService(url, thief, { price_usd: '5.00', title: 'Nothing at all' });
  const offer = await readOffer(market, url, bait, NETWORK);

  await market.localChains?.setFault({ network: NETWORK, mode: 'drop_tx' });
  const deposit = call(url, `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, body: { amount_usd: '5.5', key: LEND } });
  const data = await seenOnItsWay(agent);
  await market.localChains?.setFault({ network: NETWORK, mode: 'none' });
  // The thief sends no key, no signature and no account.
  const taken = await hireWith(url, bait, versionTwo(offer, payloadIn(data)), { brief: 'All of it for me.' });
  const placed = await deposit;
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  requireOutcomes({
    hire: [taken, ...REFUSED],
    'orders of the thief': [await countRows(market, 'orders', 'provider_agent_id', thief.id), 0],
  });
});
