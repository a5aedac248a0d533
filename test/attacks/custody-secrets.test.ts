/** The real keys of agent wallets, searched in a database dump and in all output of a process that used them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { base58 } from '@scure/base';
import { callSigned, fundWallet, type OwnedAgent, openOwnedAgent, readLog, send, setWithdrawAddress } from '../agent-wallets/stage.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

suite('the keys of agent wallets', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  let written = '';
  let agent: OwnedAgent;
  /** Every usable spelling of both keys. */
  let spellings: readonly string[];

  before(async () => {
    shared = await openSharedMoney();
    server = await shared.startServer({ LOG_LEVEL: 'trace' });
    server.child.stdout?.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
    agent = await openOwnedAgent(server.url);
    spellings = [...(await exported('base')), ...(await exported('solana'))];
  });
  after(() => shared.close());

  /** Exports under an Idempotency-Key, whose answer must not be stored. */
  async function exported(chain: 'base' | 'solana'): Promise<string[]> {
    const path = `/api/agents/${agent.id}/export-key`;
    const body = { chain };
    const headers = {
      ...asHeaders(await signedFor(server.url, agent.owner, { method: 'POST', path, body })),
      'idempotency-key': randomUUID(),
    };
    const reply = await call(server.url, `POST /api/agents/${agent.id}/export-key`, { headers, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.match(reply.headers.get('cache-control') ?? '', /no-store/);
    const text: string = reply.body['data'].private_key;
    const bytes = chain === 'base' ? Buffer.from(text.slice(2), 'hex') : Buffer.from(base58.decode(text));
    const seed = bytes.subarray(0, 32);
    return [
      text.replace(/^0x/, ''),
      seed.toString('hex'),
      seed.toString('hex').toUpperCase(),
      seed.toString('base64').slice(0, -2),
      seed.toString('base64url').slice(0, -2),
      base58.encode(seed),
      [...seed].join(','),
      [...seed].join(', '),
      BigInt(`0x${seed.toString('hex')}`).toString(),
    ];
  }

  function requireAbsent(text: string, where: string): void {
    for (const spelling of spellings) assert.ok(!text.includes(spelling), `${where} holds a key of an agent wallet`);
  }

  test('K01, K07: neither a dump of every table nor the most verbose log holds a usable key after sends, withdrawals, exports and failures', async () => {
    await fundWallet(shared, agent, 'base-mainnet', { usdcMicros: 4_000_000n });
    await fundWallet(shared, agent, 'solana-mainnet', { usdcMicros: 4_000_000n, native: 10n ** 9n });
    const to = freshAddress('base-mainnet');
    assert.equal((await setWithdrawAddress(server.url, agent, { withdraw_address_base: to })).status, 200);
    assert.equal((await send(server.url, agent, { chain: 'base', to, amount: 1 })).status, 200);
    assert.equal((await send(server.url, agent, { chain: 'solana', to: freshAddress('solana-mainnet'), amount: 1 })).status, 200);
    const coins = await send(server.url, agent, { chain: 'solana', to: freshAddress('solana-mainnet'), asset: 'native', amount: '0.1' });
    assert.equal(coins.status, 200);
    assert.equal((await send(server.url, agent, { chain: 'base', to, amount: 100 })).status, 400);
    const withdrawn = await call(server.url, 'POST /api/agents/me/withdraw', { key: agent.key, body: { chain: 'base', amount: 1 } });
    assert.equal(withdrawn.status, 200, JSON.stringify(withdrawn.body));
    await until('all ends', async () => {
      const open = (await readLog(server.url, agent)).filter(({ movement }) => movement !== null && movement.status !== 'confirmed');
      return open.length === 0 ? true : undefined;
    });
    const { rows } = await shared.database.pool.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    let dump = '';
    for (const { name } of rows) {
      const content = await shared.database.pool.query<{ line: string }>(`select t::text as line from ${name} t`);
      dump += [name, ...content.rows.map(({ line }) => line)].join('\n');
    }
    assert.ok(dump.includes(agent.solana) && dump.includes('outgoing_attempts'), 'the dump is not of this database');
    requireAbsent(dump, 'the dump');
    // Searches binary columns as hex, and decoded base64 texts once more.
    const decoded = (dump.match(/[A-Za-z0-9_-]{40,}/g) ?? []).map((text) => Buffer.from(text, 'base64url').toString('hex')).join('\n');
    requireAbsent(decoded, 'the decoded dump');
    assert.ok(server.log().includes('/wallet/send'), 'the log is not of this run');
    requireAbsent(server.log() + written, 'the log');
    await server.kill('SIGTERM');
  });

  test('K04: a wrong master key moves and exports nothing, answers 503 and logs what to check', async () => {
    const wrong = await shared.startServer({ MASTER_KEY: 'c3'.repeat(32), LOG_LEVEL: 'error' });
    const before = await shared.database.pool.query('select count(*)::int as n from wallet_movements');
    const exportReply = await callSigned(wrong.url, agent.owner, `POST /api/agents/${agent.id}/export-key`, { chain: 'base' });
    const sendReply = await send(wrong.url, agent, { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 });
    for (const { status, body, headers } of [exportReply, sendReply]) {
      assert.deepEqual([status, body['code']], [503, 'wallet_key_unreadable'], JSON.stringify(body));
      assert.equal(headers.get('retry-after'), '60');
    }
    assert.deepEqual((await shared.database.pool.query('select count(*)::int as n from wallet_movements')).rows, before.rows);
    assert.match(wrong.log(), /the key of an agent wallet cannot be opened: check MASTER_KEY/);
    requireAbsent(wrong.log(), 'the log');
    await wrong.kill('SIGTERM');
    const right = await shared.startServer();
    const sent = await send(right.url, agent, { chain: 'base', to: freshAddress('base-mainnet'), amount: 1 });
    assert.equal(sent.status, 200, 'the right key opens the wallet again');
    await right.kill('SIGTERM');
  });
});
