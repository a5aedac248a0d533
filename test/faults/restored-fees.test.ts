/** An old backup is restored after creator fees were paid: every share is paid once, whatever is claimed afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { signed, tokenFor } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { holdsFor, hurry, pause, readReason, reconcile, startCompared, untilHurried } from './restored-stage.ts';

const ADMIN_KEY = `admin_${'r3'.repeat(20)}`;
const settings = { ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: ADMIN_KEY };
const SKIP = { skip: !isThorough && THOROUGH_ONLY };

let shared: SharedMoney;
const admin = async ({ url }: ServerProcess) => ({ key: await tokenFor(url, { email: 'boss@example.com' }) });

async function openEarner(server: ServerProcess) {
  const maker = await createMaker(shared);
  const wallet = walletOf(maker);
  const agent = await registerOwnedAgent(server.url, wallet);
  const { mint, token_name, token_symbol } = await makeToken(maker);
  const token = {
    ...{ token_mint: mint, token_name, token_symbol },
    ...{ token_mode: 'pumpfun', token_creator_wallet: wallet.address },
  };
  await pause(2);
  await expectCall(server.url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...token, ...(await signed(wallet)) } });
  return { maker, agent, mint, wallet };
}
type Earner = Awaited<ReturnType<typeof openEarner>>;

/** Pays a fee, of which nine tenths are the agent's. Without `named`, it belongs to no token. */
async function earn(server: ServerProcess, { maker, mint }: Earner, lamports: bigint, named = true): Promise<string> {
  const fee = await payFee(maker, String(shared.feeVault?.treasury), lamports, named ? mint : undefined);
  await untilFinal(maker.chain, fee);
  await until('the fee in the books', async () => {
    await call(server.url, 'POST /api/fees/collect', await admin(server));
    const sweeps = (await expectCall(server.url, 200, 'GET /api/fees/sweeps', { key: ADMIN_KEY })) as Envelope[];
    return sweeps.some(({ tx_hash }) => tx_hash === fee) ? true : undefined;
  });
  return fee;
}

const assign = async (server: ServerProcess, { mint }: Earner, fee: string) =>
  await expectCall(server.url, 200, 'POST /api/fees/assign', { ...(await admin(server)), body: { tx_hash: fee, token_mint: mint } });

const claim = async ({ url }: ServerProcess, { agent, wallet }: Earner): Promise<Envelope> =>
  await expectCall(url, 200, `POST /api/agents/${agent.id}/token/claim`, { body: { ...(await signed(wallet)) } });

/** All lamports that the vault paid to this wallet. */
async function paidTo({ wallet }: Earner): Promise<bigint> {
  const page = await shared.feeVault?.coins?.listOutgoingCoins('', async () => new Set());
  assert.ok(page);
  return page.transfers.filter(({ destination }) => destination === wallet.address).reduce((sum, { micros }) => sum + micros, 0n);
}

const untilPaid = async (earner: Earner, lamports: bigint) =>
  await untilHurried(shared, `${lamports} lamports`, async () => ((await paidTo(earner)) >= lamports ? true : undefined), 120);

async function claimAndReceive(server: ServerProcess, earner: Earner): Promise<void> {
  const had = await paidTo(earner);
  const { status, paidLamports } = await claim(server, earner);
  assert.equal(status, 'pending');
  await untilPaid(earner, had + BigInt(paidLamports));
}

async function findPayout(id: string): Promise<Envelope> {
  const { rows } = await shared.database.pool.query('select state, reason, lamports::int from creator_fee_payouts where id = $1', [id]);
  return rows[0];
}

async function requireClean(): Promise<void> {
  await until('a clean audit', async () => {
    await hurry(shared);
    return (await findBroken(shared.database)).broken.length === 0 ? true : undefined;
  });
}

describe('creator fees after stop, restore, reconcile, start', SKIP, () => {
  let [server, late, assigned]: [ServerProcess?, Earner?, Earner?] = [];
  let [fee, output] = ['', ''];

  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    const first = await startCompared(shared, settings);
    [late, assigned] = [await openEarner(first), await openEarner(first)];
    await earn(first, assigned, 1_000_000n);
    fee = await earn(first, assigned, 100_000_000n, false);
    await first.kill('SIGTERM');
    const backup = await shared.backUpBooks();

    const lost = await shared.startServer(settings);
    await earn(lost, late, 100_000_000n);
    await claimAndReceive(lost, late);
    await assign(lost, assigned, fee);
    await claimAndReceive(lost, assigned);
    await lost.kill('SIGTERM');
    await backup.restore();

    const reconciled = await reconcile(shared, settings);
    output = reconciled.output;
    assert.equal(reconciled.code, 0, output);
    server = await shared.startServer(settings);
  });
  after(() => shared.close());

  test('B02: after reconcile a creator fee share whose fees arrived after the backup is paid once', async () => {
    assert.ok(server && late);
    assert.match(output, new RegExp(`to ${late.wallet.address} in \\S+ had paid`));
    assert.equal((await claim(server, late))['status'], 'skipped');
    assert.equal(await paidTo(late), 90_000_000n);
    await earn(server, late, 50_000_000n);
    await claimAndReceive(server, late);
    assert.equal(await paidTo(late), 135_000_000n);
  });

  test('B02, B06: a share that cannot cover its earlier payment pays nothing; the audit passes only what is unbooked', async () => {
    assert.ok(server && assigned);
    assert.match(output, new RegExp(`to ${assigned.wallet.address} in \\S+ are more than the share that they name holds`));
    assert.equal(await readReason(shared), null);
    await requireClean();
    for (const sql of [`update found_outflows set taken_by = 'nobody' where taken_by is null`, 'delete from found_outflows'])
      assert.deepEqual((await findBroken(shared.database, [sql])).broken, ['Q10']);
    await earn(server, assigned, 50_000_000n);
    const { payout_id: id, paidLamports } = await claim(server, assigned);
    assert.equal(paidLamports, 45_900_000);
    await untilHurried(shared, 'the payout being held', async () =>
      /cannot cover/.test((await findPayout(id))['reason'] ?? '') ? true : undefined,
    );
    await holdsFor(shared, 3_000, async () => assert.equal(await paidTo(assigned as Earner), 90_900_000n));

    // The operator repeats the lost assignment. The rest is paid, and no more.
    await assign(server, assigned, fee);
    await untilHurried(shared, 'the payout being found', async () => ((await findPayout(id))['state'] === 'confirmed' ? true : undefined));
    assert.equal((await findPayout(id))['lamports'], 90_900_000);
    await claimAndReceive(server, assigned);
    assert.equal(await paidTo(assigned), 135_900_000n);
    assert.equal((await claim(server, assigned))['status'], 'skipped');
    await requireClean();
  });
});

describe('creator fees after restore, start, claim, reconcile', SKIP, () => {
  let [server, more, renumbered]: [ServerProcess?, Earner?, Earner?] = [];
  let [moreId, renumberedId] = ['', ''];

  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    const first = await startCompared(shared, settings);
    [more, renumbered] = [await openEarner(first), await openEarner(first)];
    for (const earner of [more, renumbered]) await earn(first, earner, 100_000_000n);
    await first.kill('SIGTERM');
    const backup = await shared.backUpBooks();

    const lost = await shared.startServer(settings);
    await claimAndReceive(lost, more);
    await failOnce(lost, renumbered);
    await claimAndReceive(lost, renumbered);
    await lost.kill('SIGTERM');
    await backup.restore();

    server = await shared.startServer(settings);
    // Another trade, so that the claim has another amount than the lost one.
    await earn(server, more, 1_000n);
    moreId = (await claim(server, more))['payout_id'];
    renumberedId = (await claim(server, renumbered))['payout_id'];
    await until('outflow being closed', async () => ((await readReason(shared)) === null ? undefined : true), 120);
    const { code, output } = await reconcile(shared, settings);
    assert.equal(code, 0, output);
  });
  after(() => shared.close());

  /** Uses up the share's first payout number: a wallet cannot hold one lamport, so this payout fails. */
  async function failOnce(at: ServerProcess, { agent, mint }: Earner): Promise<void> {
    const body = { recipient_wallet: freshAddress('solana-mainnet'), agent_id: agent.id, token_mint: mint, amount_lamports: 1 };
    const { payout_id: id } = await expectCall(at.url, 200, 'POST /api/fees/payout', { ...(await admin(at)), body });
    await untilHurried(shared, 'the failure', async () => ((await findPayout(id))['state'] === 'failed' ? true : undefined));
  }

  test('B02: a creator fee claim of another amount becomes the transfer that was sent, and the difference stays owed', async () => {
    assert.ok(server && more);
    const { state, lamports, reason } = await findPayout(moreId);
    assert.deepEqual([state, lamports], ['confirmed', 90_000_000]);
    assert.match(reason, /Ordered again as 90000900 lamports/);
    await holdsFor(shared, 3_000, async () => assert.equal(await paidTo(more as Earner), 90_000_000n));
    await earn(server, more, 50_000_000n);
    await claimAndReceive(server, more);
    assert.equal(await paidTo(more), 135_000_900n);
    await requireClean();
  });

  test('B02: a creator fee claim under another number than the lost one is withdrawn, not paid', async () => {
    assert.ok(server && renumbered);
    const { state, reason } = await findPayout(renumberedId);
    assert.equal(state, 'failed');
    assert.match(reason, /was paid before an older copy of the books was put back/);
    assert.equal((await claim(server, renumbered))['status'], 'skipped');
    assert.equal(await paidTo(renumbered), 90_000_000n);
    await earn(server, renumbered, 50_000_000n);
    await claimAndReceive(server, renumbered);
    assert.equal(await paidTo(renumbered), 135_000_000n);
    await requireClean();
  });
});
