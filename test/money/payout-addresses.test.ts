/** Addresses that cannot receive are refused when set; a payout that still fails is reported with its remedy. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { getAddress, type Hex } from 'viem';
import { hireSigned, idOf } from '../harness/bare-transfers.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import type { EvmPayer } from '../harness/payers.ts';
import { baseWallet, signedFor, solanaWallet } from '../harness/people.ts';
import { chainOf, until } from './money.ts';

suite('payout addresses', () => {
  let market: TestMarket;
  let buyer: Buyer;
  let provider: Provider;
  before(async () => {
    market = await openMarket({ ...withChains, PAYMENT_CONTEST_MINUTES: '0' });
    buyer = await openBuyer(market, 'base-mainnet');
    provider = await openProvider(market.url);
  });
  after(() => market.close());

  /** Changes fields with the owner wallet's signature, which takes effect at once. */
  async function set(agent: Provider, body: Record<string, unknown>, id: string = agent.id) {
    const path = `/api/agents/${id}`;
    return await call(market.url, `PATCH ${path as '/'}`, {
      body: { ...body, ...(await signedFor(market.url, agent.owner, { method: 'PATCH', path, body })) },
    });
  }

  const zero = `0x${'0'.repeat(40)}`;
  const reserved = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
  const evm = (['base-mainnet', 'alt-mainnet'] as const).flatMap((network: NetworkName) => [
    { kind: `the treasury on ${network}`, address: () => chainOf(market, network).treasury },
    { kind: `USDC on ${network}`, address: () => chainOf(market, network).usdcAddress },
  ]);
  const rows: readonly { field: 'payout_wallet' | 'payout_address_base'; kind: string; address: () => string }[] = [
    ...evm.map((row) => ({ ...row, field: 'payout_address_base' as const })),
    { field: 'payout_address_base', kind: 'the zero address', address: () => zero },
    ...[1, 9, 0x100].map((number) => ({
      field: 'payout_address_base' as const,
      kind: `the precompile 0x${number.toString(16)}`,
      address: () => reserved(number),
    })),
    { field: 'payout_wallet', kind: 'the treasury on Solana', address: () => chainOf(market, 'solana-mainnet').treasury },
    { field: 'payout_wallet', kind: 'the USDC mint on Solana', address: () => chainOf(market, 'solana-mainnet').usdcAddress },
    { field: 'payout_wallet', kind: 'the system program', address: () => '11111111111111111111111111111111' },
    { field: 'payout_wallet', kind: 'the token program', address: () => 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
    { field: 'payout_wallet', kind: 'the clock sysvar', address: () => 'SysvarC1ock11111111111111111111111111111111' },
    // Derived from a program: the address is off the curve, so it has no key.
    { field: 'payout_wallet', kind: 'an address without a key', address: () => '5AYD2EwUuxNTFYhMxT7f6niEjyAGMHoTstw5E6om7jYa' },
  ];

  for (const { field, kind, address } of rows) {
    test(`M28: ${kind} is refused as ${field}, and nothing changes`, async () => {
      const before = await expectCall(market.url, 200, 'GET /api/agents/me', { key: provider.key });
      const reply = await set(provider, { [field]: address() });
      assert.deepEqual([reply.status, reply.body['code']], [400, 'payout_address_unpayable'], JSON.stringify(reply.body));
      assert.match(reply.body['error'], new RegExp(`^${field} cannot be paid\\. `));
      assert.deepEqual(await expectCall(market.url, 200, 'GET /api/agents/me', { key: provider.key }), before);
    });
  }

  test('M28: a token contract is refused as payout address; another contract may be a wallet', async () => {
    const counting = await deployAt(buyer.payer as EvmPayer, '600160005260206000f3');
    const silent = await deployAt(buyer.payer as EvmPayer, '00');
    const refused = await set(provider, { payout_address_base: counting });
    assert.deepEqual([refused.status, refused.body['code']], [400, 'payout_address_unpayable']);
    assert.match(refused.body['error'], /token contract/);
    const taken = await set(provider, { payout_address_base: silent });
    assert.deepEqual([taken.status, taken.body['data']?.payout_address_base], [200, silent], JSON.stringify(taken.body));
  });

  test('wallet addresses on every network are accepted as payout address', async () => {
    const body = { payout_wallet: solanaWallet().address, payout_address_base: baseWallet().address };
    const reply = await set(provider, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(
      [reply.body['data'].payout_wallet, reply.body['data'].payout_address_base],
      [body.payout_wallet, body.payout_address_base],
    );
  });

  /** An agent whose address was set before such addresses were refused. */
  async function openUnpayable(): Promise<Provider> {
    const agent = await openProvider(market.url);
    const { treasury } = chainOf(market, 'base-mainnet');
    await market.database.pool.query('update agents set payout_address_base = $2 where id = $1', [agent.id, treasury]);
    return agent;
  }

  async function listEventData(orderId: string, type: string): Promise<Record<string, unknown>[]> {
    const { rows: told } = await market.database.pool.query('select data from events where subject_id = $1 and type = $2 order by id', [
      orderId,
      type,
    ]);
    return told.map(({ data }) => data);
  }

  const untilFailed = (orderId: string) =>
    until('order.payout_failed', async () => (await listEventData(orderId, 'order.payout_failed'))[0]);

  test('M27: the hint of a failed payout, executed as written, gets the provider paid; completion reports the failure', async () => {
    const agent = await openUnpayable();
    const service = await listService(market.url, agent, { price_usd: '1.00' });
    const hire = async () => {
      const reference = await buyer.payer.pay(chainOf(market, 'base-mainnet').treasury, 1_100_000n);
      return idOf(await hireSigned(market.url, service, buyer, reference, 'A logo for a bakery.'));
    };
    const [orderId, completed] = [await hire(), await hire()];
    const { hint } = await untilFailed(orderId);
    await untilFailed(completed);
    assert.equal((await deliver(market.url, completed, agent)).status, 200);
    assert.equal((await act(market.url, completed, buyer, 'approve')).status, 200);
    assert.deepEqual(await listEventData(completed, 'order.completed'), [{ payout_failed: true }]);

    const calls = [...String(hint).matchAll(/(PATCH|POST) (\/api\/[\w/-]+)/g)].map(([, method, path]) => ({ method, path: path ?? '' }));
    assert.deepEqual(
      calls.map(({ method, path }) => [method, path]),
      [
        ['PATCH', `/api/agents/${agent.id}`],
        ['POST', `/api/orders/${orderId}/request-payout-retry`],
      ],
    );
    const early = await call(market.url, `POST ${(calls[1]?.path ?? '') as '/'}`, { key: agent.key });
    assert.deepEqual([early.status, early.body['code']], [422, 'payout_destination_invalid'], JSON.stringify(early.body));
    const token = await deployAt(buyer.payer as EvmPayer, '600160005260206000f3');
    await market.database.pool.query('update agents set payout_address_base = $2 where id = $1', [agent.id, token]);
    const kept = await call(market.url, `POST ${(calls[1]?.path ?? '') as '/'}`, { key: agent.key });
    assert.deepEqual([kept.status, kept.body['code']], [422, 'payout_destination_invalid'], JSON.stringify(kept.body));
    assert.match(kept.body['error'], /token contract/);
    const field = /sets (\w+) through/.exec(String(hint))?.[1] ?? '';
    const destination = baseWallet().address;
    const changed = await set(agent, { [field]: destination });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const retried = await call(market.url, `POST ${(calls[1]?.path ?? '') as '/'}`, { key: agent.key });
    assert.deepEqual([retried.status, retried.body['data']?.destination], [200, destination], JSON.stringify(retried.body));
    const sent = await until('order.payout_sent', async () => (await listEventData(orderId, 'order.payout_sent'))[0]);
    assert.equal(sent['destination'], destination);
  });

  test('when the payout of an approved order fails, order.payout_failed follows order.completed', async () => {
    const agent = await openUnpayable();
    const orderId = await placeOrder(market.url, await listService(market.url, agent), buyer);
    await payOrder(market.url, orderId, buyer);
    assert.equal((await deliver(market.url, orderId, agent)).status, 200);
    assert.equal((await act(market.url, orderId, buyer, 'approve')).status, 200);
    const failed = await untilFailed(orderId);
    assert.match(String(failed['hint']), new RegExp(`/api/orders/${orderId}/request-payout-retry`));
    const { rows: order } = await market.database.pool.query(
      `select type from events where subject_id = $1 and type in ('order.completed', 'order.payout_failed') order by id`,
      [orderId],
    );
    assert.deepEqual(
      order.map(({ type }) => type),
      ['order.completed', 'order.payout_failed'],
    );
  });
});

/** Deploys a contract with this code; returns its address. */
async function deployAt({ wallet, reader }: EvmPayer, code: string): Promise<string> {
  const size = (code.length / 2).toString(16).padStart(2, '0');
  const data = `0x60${size}600c60003960${size}6000f3${code}` as Hex;
  const hash = await wallet.sendTransaction({ data, gas: 200_000n });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  assert.ok(contractAddress);
  return getAddress(contractAddress);
}
