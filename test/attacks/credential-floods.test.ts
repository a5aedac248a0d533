/** Floods of wrong credentials: their cost is bounded, and valid callers from the same address still work. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet } from '@market/sandbox/evm';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, getAddress } from 'viem/utils';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { type FaultyNode, startFaultyNode, troubles } from '../harness/faulty-nodes.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { openPayer } from '../harness/payers.ts';
import { agreed, asHeaders, baseWallet, signed, signedFor, solanaWallet, type TestWallet } from '../harness/people.ts';

const CHECKS = 12;
const KEYS = 15;

/** Each is a new client address, named by the trusted proxy. */
let clients = 0;
const newClient = (): Record<string, string> => {
  clients += 1;
  return { 'x-forwarded-for': `198.51.100.${clients}` };
};

describe('floods of wrong credentials', () => {
  const nodes = new Map<NetworkName, FaultyNode>();
  let market: TestMarket;
  let asked = 0;
  before(async () => {
    market = await openMarket(
      {
        ...withOwnChains,
        JOBS: 'off',
        RATE_LIMIT_SCALE: '1',
        TRUSTED_PROXIES: '127.0.0.1',
        SIGNATURE_CHECKS_PER_MINUTE: String(CHECKS),
        FAILED_KEYS_PER_MINUTE: String(KEYS),
      },
      {
        reroute: (places) =>
          Promise.all(
            places.map(async (place) => {
              const node = await startFaultyNode(place.urls[0] ?? '');
              nodes.set(place.network, node);
              return { ...place, urls: [node.url] };
            }),
          ),
      },
    );
    for (const node of nodes.values())
      node.spoil(
        async (response, ask) => {
          asked += 1;
          response.end(JSON.stringify(await ask()));
        },
        ['eth_call'],
      );
  });
  after(async () => {
    await market.close();
    for (const node of nodes.values()) node.close();
  });

  const whoAmI = (headers: Record<string, string>): Promise<Reply> => call(market.url, 'GET /api/auth/whoami', { headers });

  /** 65 bytes that no key of the wallet signed, so that the address could only be a contract's. */
  const junk = (wallet = baseWallet().address) =>
    asHeaders({ wallet, wallet_sig: `0x${randomBytes(64).toString('hex')}1b`, wallet_sig_ts: Date.now() });

  test('I16: invalid signatures from one client address cause a bounded number of node calls, then 429', async () => {
    const client = newClient();
    asked = 0;
    const statuses: number[] = [];
    for (let tries = 0; tries < 2 * CHECKS; tries++) {
      const reply = await whoAmI({ ...client, ...junk() });
      statuses.push(reply.status);
      if (reply.status === 429) {
        assert.equal(reply.body['code'], 'too_many_requests');
        assert.ok(Number(reply.headers.get('retry-after')) > 0);
      }
    }
    assert.equal(statuses[0], 401);
    assert.deepEqual([...new Set(statuses)], [401, 429]);
    assert.ok(asked > 0 && asked <= 2 * CHECKS, `${asked} calls: one per check and EVM network`);
    assert.equal((await whoAmI({ ...newClient(), ...junk() })).status, 401, 'another address has its own budget');
  });

  test('I16: key-based wallet signatures need no node call and still work after the address used up its budget', async () => {
    const client = newClient();
    while ((await whoAmI({ ...client, ...junk() })).status !== 429);
    asked = 0;
    const owner = baseWallet();
    const agent = await registerOwnedAgent(market.url, owner);
    for (const wallet of [owner, baseWallet(), solanaWallet()]) {
      const reply = await whoAmI({ ...client, ...asHeaders(await signed(wallet)) });
      assert.deepEqual([reply.status, reply.body['data'].wallet.address], [200, wallet.address]);
    }
    // The call sets no address, because checking one would ask a node; only the signature may.
    const body = { payout_chain: 'base' };
    const custody = await signedFor(market.url, owner, { method: 'PATCH', path: `/api/agents/${agent.id}`, body });
    const changed = await call(market.url, `PATCH /api/agents/${agent.id}`, { headers: { ...client, ...asHeaders(custody) }, body });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal(asked, 0, 'no node was asked about a key');
  });

  test('I16: a repeated invalid signature is refused from the cache, without a node call', async () => {
    const [client, sent] = [newClient(), junk()];
    assert.equal((await whoAmI({ ...client, ...sent })).status, 401);
    asked = 0;
    for (let tries = 0; tries < 3 * CHECKS; tries++) assert.equal((await whoAmI({ ...client, ...sent })).status, 401);
    assert.equal(asked, 0);
  });

  test('I16: a contract signature is valid only on the network it was proven on', async () => {
    const [victim, thief] = [baseWallet(), baseWallet()];
    const address = await deployTwins(victim.address as Hex, thief.address as Hex);
    const speaksAs = (key: TestWallet): TestWallet => ({ chain: 'base', address, sign: key.sign });
    const agent = await registerOwnedAgent(market.url, speaksAs(victim));
    assert.equal(agent.answer['owner_wallet'] ?? address, address);

    const edit = async (wallet: TestWallet) =>
      await call(market.url, `PATCH /api/agents/${agent.id}`, {
        headers: { ...newClient(), ...asHeaders(await signed(wallet)) },
        body: { description: 'Edited by whoever holds the wallet.' },
      });
    assert.equal((await edit(speaksAs(victim))).status, 200);
    const refused = await edit(speaksAs(thief));
    assert.deepEqual([refused.status, refused.body['code']], [403, 'wrong_credential'], JSON.stringify(refused.body));
    assert.match(refused.body['error'], /proven on alt-mainnet only/);
    for (const route of ['POST /api/agents/recover', 'POST /api/auth/session'] as const) {
      const reply = await call(market.url, route, { headers: newClient(), body: await signed(speaksAs(thief)) });
      assert.deepEqual([reply.status, reply.body['code']], [403, 'wrong_credential'], JSON.stringify(reply.body));
    }
    const signIn = async (wallet: TestWallet) =>
      await call(market.url, 'POST /api/auth/session', {
        headers: newClient(),
        body: await agreed(market.url, wallet, { action: 'session' }),
      });
    assert.equal((await signIn(speaksAs(thief))).body['code'], 'invalid_signature');
    const session = await signIn(speaksAs(victim));
    assert.equal(session.status, 200, JSON.stringify(session.body));
    const { rows } = await market.database.pool.query('select proven_on from sessions where wallet = $1', [address]);
    assert.deepEqual(rows, [{ proven_on: ['base-mainnet=eip155:8453'] }]);
  });

  /** Deploys from one deployer at one nonce: one address on both networks, with another owner on each. */
  async function deployTwins(onBase: Hex, onAlt: Hex): Promise<string> {
    const key = generatePrivateKey();
    const deployer = privateKeyToAccount(key);
    const addresses = await Promise.all(
      (
        [
          ['base-mainnet', onBase],
          ['alt-mainnet', onAlt],
        ] as const
      ).map(async ([network, owner]) => {
        await market.localChains?.fund({ network, address: deployer.address, usdcMicros: 0n, native: 10n ** 19n });
        const payer = openPayer(market, network, key);
        assert.ok(payer.kind === 'evm');
        while ((await payer.chain.readBalances(deployer.address)).native === 0n) await new Promise((resolve) => setTimeout(resolve, 50));
        const data = encodeDeployData({ abi: sandboxSmartWallet.abi, bytecode: sandboxSmartWallet.creationCode, args: [owner] });
        const hash = await payer.wallet.sendTransaction({ data } as never);
        return (await payer.reader.waitForTransactionReceipt({ hash })).contractAddress;
      }),
    );
    const [first, second] = addresses;
    assert.ok(typeof first === 'string' && typeof second === 'string');
    assert.equal(first.toLowerCase(), second.toLowerCase());
    return getAddress(first);
  }

  const tryKey = (key: string, client: Record<string, string>) => call(market.url, 'GET /api/agents/me', { key, headers: client });
  const wrongKey = () => `market_${randomBytes(24).toString('hex')}`;

  test('A06: wrong keys from one client address get 401, then 429 after its budget; known keys still work', async () => {
    const client = newClient();
    const agent = await registerAgent(market.url);
    assert.equal((await tryKey(agent.key, client)).status, 200);
    const wrong = [
      wrongKey,
      () => `market_${'0'.repeat(48)}`,
      () => 'market_',
      () => `${agent.key}0`,
      () => agent.key.toUpperCase().replace('MARKET', 'market'),
    ];
    for (let tries = 0; tries < KEYS; tries++) {
      const reply = await tryKey(wrong[tries % wrong.length]?.() ?? '', client);
      assert.deepEqual([reply.status, reply.body['code']], [401, 'invalid_api_key'], String(tries));
    }
    for (let tries = 0; tries < 3; tries++) {
      const reply = await tryKey(wrongKey(), client);
      assert.deepEqual([reply.status, reply.body['code']], [429, 'too_many_requests']);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
    }
    assert.equal((await tryKey(agent.key, client)).status, 200);
    assert.equal((await tryKey(wrongKey(), newClient())).status, 401);
    await advanceClock(market.url, 61);
    assert.equal((await tryKey(wrongKey(), client)).status, 401);
  });

  test('A06: a nearly right key is refused in the same time as any other', async () => {
    const { key } = await registerAgent(market.url);
    const flipped = (at: number) => `${key.slice(0, at)}${key[at] === '0' ? '1' : '0'}${key.slice(at + 1)}`;
    const kinds = { almost: () => flipped(key.length - 1), random: wrongKey };
    const times: Record<keyof typeof kinds, number[]> = { almost: [], random: [] };
    for (let round = 0; round < 120; round++) {
      // The kinds alternate in changing order, so that a busy machine slows both alike.
      const order = round % 2 === 0 ? (['almost', 'random'] as const) : (['random', 'almost'] as const);
      for (const kind of order) {
        const client = { 'x-forwarded-for': `203.0.113.${round}` };
        const startedAt = performance.now();
        assert.equal((await tryKey(kinds[kind](), client)).status, 401);
        times[kind].push(performance.now() - startedAt);
      }
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    const [almost, random] = [median(times.almost), median(times.random)];
    assert.ok(Math.abs(almost - random) < Math.max(2, 0.35 * random), `${almost} ms against ${random} ms`);
  });

  // This test is last, because it opens the circuit breaker of the signature client.
  test('I16: a node that fails for signatures is still used for payments', async () => {
    for (const node of nodes.values()) node.spoil(troubles['is down'], ['eth_call']);
    for (let tries = 0; tries < 3; tries++) {
      const reply = await whoAmI({ ...newClient(), ...junk() });
      assert.deepEqual([reply.status, reply.body['code']], [503, 'unavailable'], JSON.stringify(reply.body));
    }
    const chain = market.chains.get('base-mainnet');
    assert.ok(((await chain?.countConfirmations({ blockNumber: 0n } as never)) ?? 0) > 0);
    for (const node of nodes.values()) node.spoil(undefined);
  });
});
