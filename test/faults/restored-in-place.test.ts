/** A dump is restored into the same database (`pg_restore --clean`) under a process: identity and transaction numbers do not show it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fundWallet, type OwnedAgent, openOwnedAgent } from '../agent-wallets/stage.ts';
import { call } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { createPayer } from '../harness/payers.ts';
import { asHeaders, signedFor, solanaWallet } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, USDC, until } from '../money/money.ts';
import { payForOrder, queueOutgoing, untilState } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { deleteRows, dump, putBack } from './dump-in-place.ts';
import { hurry, pause, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'solana-mainnet';
const skip = !isThorough && THOROUGH_ONLY;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

const usdcAt = async (address: string) => (await chainOf(shared, NETWORK).readBalances(address)).usdcMicros;

/** Makes jobs of the restored books due at once, and waits until the process ends. */
async function untilEnded({ child }: ServerProcess): Promise<void> {
  await until(
    'the end of the process',
    async () => {
      await hurry(shared);
      return child.exitCode === null ? undefined : true;
    },
    60,
  );
}

test('B03: a process under which its database is restored in place sends nothing again from an agent’s wallet and ends', {
  skip,
}, async () => {
  const server = await startCompared(shared);
  const agent = await openOwnedAgent(server.url);
  await fundWallet(shared, agent, NETWORK, { usdcMicros: 50n * USDC });
  const [to, key] = [solanaWallet().address, randomUUID()];
  await sendWith(server.url, agent, solanaWallet().address, randomUUID());
  await untilAllSent(agent);
  await dump(shared);
  await sendWith(server.url, agent, to, key);
  await untilAllSent(agent);
  assert.equal(await usdcAt(to), 5n * USDC);
  // Replaces rows and keeps tables, so that only the rows are those of the dump.
  await putBack(shared, deleteRows);
  // The process may end before it answers.
  await sendWith(server.url, agent, to, key).catch(() => undefined);
  await untilEnded(server);
  assert.equal(await usdcAt(to), 5n * USDC, 'nothing is sent again');
  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
});

test('B05: a process under which its database is restored in place pays nothing again and ends', { skip }, async () => {
  const { money } = shared;
  const payer = await createPayer(shared, NETWORK);
  // Money of others, in escrow.
  await payForOrder(money, payer, 100n * USDC);
  const subjectId = await payForOrder(money, payer, 20n * USDC);
  const payout = await queueOutgoing(money, { purpose: 'payout', network: NETWORK, subjectId, amountMicros: 20n * USDC });
  await dump(shared);
  const server = await shared.startServer();
  await untilState(money, payout.id, 'confirmed', 120);
  assert.equal(await usdcAt(payout.destination), 20n * USDC);
  await pause(2_000);
  await putBack(shared);
  await untilEnded(server);
  assert.equal(await usdcAt(payout.destination), 20n * USDC, 'nothing is paid again');
});

async function sendWith(url: string, agent: OwnedAgent, to: string, key: string): Promise<void> {
  const path = `/api/agents/${agent.id}/wallet/send` as const;
  const body = { chain: 'solana', to, asset: 'usdc', amount: '5' };
  const headers = { ...asHeaders(await signedFor(url, agent.owner, { method: 'POST', path, body })), 'idempotency-key': key };
  const reply = await call(url, `POST ${path}`, { headers, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

async function untilAllSent(agent: OwnedAgent): Promise<void> {
  await until(
    'the sends',
    async () => {
      const { rows } = await shared.database.pool.query(`select state from wallet_movements where agent_id = $1`, [agent.id]);
      return rows.every(({ state }) => state === 'confirmed') ? true : undefined;
    },
    120,
  );
}
