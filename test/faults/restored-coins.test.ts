/** On EVM networks a send of the network's coin carries no intent name: one that a restore lost is repeated after market reconcile. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { chainWord, fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { call } from '../harness/http.ts';
import { asHeaders, baseWallet, signedFor } from '../harness/people.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { pause, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'base-mainnet';
const SENT = 10n ** 16n;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

async function send(url: string, agent: OwnedAgent, to: string, key: string, more: Record<string, unknown> = {}) {
  const path = `/api/agents/${agent.id}/wallet/send` as const;
  const body = { chain: chainWord[NETWORK], to, asset: 'native', amount: '0.01', ...more };
  const headers = { ...asHeaders(await signedFor(url, agent.owner, { method: 'POST', path, body })), 'idempotency-key': key };
  return await call(url, `POST ${path}`, { headers, body });
}

test('B03: after market reconcile a send of coins that a restore lost does not leave again under its Idempotency-Key', async () => {
  const first = await startCompared(shared);
  const agent = await openOwnedAgent(first.url);
  await fundWallet(shared, agent, NETWORK, { native: 10n * SENT });
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const [to, key] = [baseWallet().address, randomUUID()];
  const held = async () => (await chainOf(shared, NETWORK).readBalances(to)).native;
  assert.equal((await send(lost.url, agent, to, key)).status, 200);
  await until('the coins', async () => ((await held()) === SENT ? true : undefined));
  await lost.kill('SIGTERM');
  await backup.restore();

  // The documented order: no process runs before books and chains agree.
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(`left the wallet ${agent.evm}`), 'the books know that something left');

  // The client got no answer, or retries as clients do.
  const second = await shared.startServer();
  const again = await send(second.url, agent, to, key);
  for (const end = performance.now() + 15_000; performance.now() < end && (await held()) === SENT; await pause(250));
  assert.equal(await held(), SENT, `the same send leaves once; the repeat was answered with ${JSON.stringify(again.body)}`);
  assert.equal(again.status, 400, JSON.stringify(again.body));
  assert.match(String(again.body['error']), /Look at the wallet on chain.*not_sent_before: true/);
  // A new key does not show that anybody checked; the owner's statement does.
  assert.equal((await send(second.url, agent, to, randomUUID())).status, 400);
  const told = await send(second.url, agent, to, randomUUID(), { not_sent_before: true });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  await until('the coins of another send', async () => ((await held()) === 2n * SENT ? true : undefined));
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
