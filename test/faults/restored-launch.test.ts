/** After the backup a first launch failed and a second one made the token: the restored books find and finish that token. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMintKey } from '../../packages/server/src/features/tokens/launches/mint-key.ts';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { fundAddress } from '../agent-wallets/stage.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { giveSol, launch, openLaunchAgent, openPictures, type Pictures } from '../tokens/launches/stage.ts';
import { reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'solana-mainnet';
const settings = { OUTBOUND_ALLOW: '127.0.0.1' };

let shared: SharedMoney;
let pictures: Pictures;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
  pictures = await openPictures();
});
after(async () => {
  pictures.close();
  await shared.close();
});

test('B03: a launch finds the token that lost books made at a later attempt', async () => {
  const first = await startCompared(shared, settings);
  const agent = await openLaunchAgent(first.url, { avatar_url: `${pictures.url}/good.png` });
  await giveSol(shared, agent, 100_000_000n);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer(settings);
  // Coins at the address of the first mint prevent its creation.
  const secrets = createSecretBox({ current: Buffer.from('a1'.repeat(32), 'hex'), previous: [] });
  await fundAddress(shared, NETWORK, newMintKey(secrets, `${agent.id} token_launch 0`).mint, { native: 5_000_000n });
  assert.equal((await launch(lost.url, agent)).body['code'], 'mint_failed');
  const made = await launch(lost.url, agent);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { mint } = made.body['data'];
  await until('the token', async () => {
    const { rows } = await shared.database.pool.query(`select 1 from agent_mints where mint = $1 and state = 'made'`, [mint]);
    return rows.length === 1 ? true : undefined;
  });
  const held = async () => (await chainOf(shared, NETWORK).readBalances(agent.wallet)).native;
  const paid = await held();
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared, settings);
  assert.equal(code, 0, output);
  const second = await shared.startServer(settings);
  const again = await launch(second.url, agent);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.body['data'].mint, mint);
  assert.equal(await held(), paid, 'the wallet pays once');
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
