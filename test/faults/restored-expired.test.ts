/** A send whose first bytes expired before the backup, and whose second bytes landed after it: books and chain hold different attempts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { chainWord, fundWallet, openOwnedAgent } from '../agent-wallets/stage.ts';
import { call } from '../harness/http.ts';
import { freshAddress } from '../harness/payers.ts';
import { asHeaders, signedFor } from '../harness/people.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { EXPIRY_POINT } from './crash-points.ts';
import { holdsFor, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'solana-mainnet';
const SENT = 2n * USDC;

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B03, B06: a send signed anew after the backup does not leave again, and market reconcile reports that it left', async () => {
  const first = await startCompared(shared);
  const agent = await openOwnedAgent(first.url);
  const to = freshAddress(NETWORK);
  await fundWallet(shared, agent, NETWORK, { usdcMicros: 10n * USDC });
  await first.kill('SIGTERM');
  const held = async () => (await chainOf(shared, NETWORK).readBalances(to)).usdcMicros;

  // The first bytes never reach the chain, and expire.
  await shared.localChains.setFault({ network: NETWORK, mode: 'drop_tx' });
  const dying = await shared.startServer({ CRASH_AT: EXPIRY_POINT, PAYMENT_WAIT_SECONDS: '1' });
  const body = { chain: chainWord[NETWORK], to, amount: '2' };
  const path = `/api/agents/${agent.id}/wallet/send` as const;
  const signature = asHeaders(await signedFor(dying.url, agent.owner, { method: 'POST', path, body }));
  const reply = await call(dying.url, `POST ${path}`, { headers: { ...signature, 'idempotency-key': randomUUID() }, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  await until('the expiry', async () => {
    if (hasEnded(dying)) return true;
    await shared.localChains.advance(60);
    return undefined;
  });
  await shared.localChains.setFault({ network: NETWORK, mode: 'none' });
  await forgetLeases(shared);
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  await until('the money', async () => ((await held()) === SENT ? true : undefined));
  await lost.kill('SIGTERM');
  await backup.restore();
  await forgetLeases(shared);

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(`2 USDC left the wallet ${agent.solana}`));
  const second = await shared.startServer();
  await holdsFor(shared, 20_000, async () => assert.equal(await held(), SENT, `it is sent once; reconcile said: ${output}`));
  const { rows } = await shared.database.pool.query(`select state, reason from wallet_movements where agent_id = $1`, [agent.id]);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['confirmed'],
    JSON.stringify(rows),
  );
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
