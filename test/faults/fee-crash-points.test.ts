/** A process that dies while it books or pays creator fees: every fee is booked once and every payout arrives once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { splitCreatorFee } from '@market/contract';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { freshAddress, type SolanaPayer } from '../harness/payers.ts';
import { signed, tokenFor } from '../harness/people.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { pointsToDieAt } from './crash-points.ts';

const POINTS = [
  'fees.before_book_commit',
  'fee_payout.before_queue_commit',
  'outgoing.before_store_commit',
  'outgoing.after_store',
  'outgoing.before_broadcast',
  'outgoing.after_broadcast',
  'outgoing.after_mark_sent',
  'outgoing.after_outcome',
  'outgoing.before_confirm_commit',
];
const FEE = 10_000_000n;
const PAID = 1_234_567;

suite('a process that dies at creator fees', () => {
  let shared: SharedMoney;
  let maker: SolanaPayer;
  let agent: TestAgent;
  let mint: string;
  let healthy: ServerProcess;

  const start = (more: Record<string, string> = {}) => shared.startServer({ ADMIN_EMAILS: 'boss@example.com', ...more });
  const admin = async ({ url }: ServerProcess) => ({ key: await tokenFor(url, { email: 'boss@example.com' }) });
  const balance = async (server: ServerProcess): Promise<Envelope> =>
    await expectCall(server.url, 200, 'GET /api/fees/balance', await admin(server));

  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    healthy = await start();
    maker = await createMaker(shared);
    const wallet = walletOf(maker);
    agent = await registerOwnedAgent(healthy.url, wallet);
    const made = await makeToken(maker);
    mint = made.mint;
    const token = {
      token_mint: mint,
      token_name: made.token_name,
      token_symbol: made.token_symbol,
      token_mode: 'byot',
      token_creator_wallet: wallet.address,
    };
    await expectCall(healthy.url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...token, ...(await signed(wallet)) } });
    await until('the float', async () => {
      await call(healthy.url, 'POST /api/fees/collect', await admin(healthy));
      return (await balance(healthy))['float_lamports'] > 0 ? true : undefined;
    });
  });
  after(() => shared.close());

  for (const point of pointsToDieAt(POINTS, ['outgoing.after_broadcast'])) {
    test(`after a crash at ${point} the creator fee is booked once, and the payout arrives once`, async () => {
      const [vault, before] = [String((await balance(healthy))['vault_address']), (await balance(healthy))['owed_lamports'].agents];
      await healthy.kill('SIGTERM');
      const dying = await start({ CRASH_AT: point });
      const ended = new Promise<unknown>((resolve) => dying.child.once('exit', (_code, signal) => resolve(signal)));
      let who = await admin(dying);
      const reference = await payFee(maker, vault, FEE, mint);
      await untilFinal(maker.chain, reference);
      const recipient = freshAddress('solana-mainnet');
      const body = { recipient_wallet: recipient, agent_id: agent.id, token_mint: mint, amount_lamports: PAID };
      const payment = () => ({ ...who, headers: { 'idempotency-key': `pay-${point}` }, body });
      // The process may die during either of these.
      await call(dying.url, 'POST /api/fees/collect', who).catch(() => undefined);
      await call(dying.url, 'POST /api/fees/payout', payment()).catch(() => undefined);
      assert.equal(await ended, 'SIGKILL', `${point} was not reached`);

      // Ends the leases of the dead process now.
      for (const table of ['jobs', 'idempotency_keys'])
        await shared.database.pool.query(`update ${table} set lease_until = clock_timestamp() where lease_until is not null`);
      healthy = await start();
      who = await admin(healthy);
      await call(healthy.url, 'POST /api/fees/collect', who);
      const again = await until('the request being answered', async () => {
        const reply = await call(healthy.url, 'POST /api/fees/payout', payment());
        return reply.status === 409 ? undefined : reply;
      });
      assert.equal(again.status, 200, JSON.stringify(again.body));
      await until('the payout', async () => {
        const all = (await expectCall(healthy.url, 200, `GET /api/fees/payouts?wallet=${recipient}`, who)) as Envelope[];
        assert.equal(all.length, 1);
        return all[0]?.['status'] === 'paid' ? true : undefined;
      });
      assert.equal((await maker.chain.readBalances(recipient)).native, BigInt(PAID));
      const earned = Number(splitCreatorFee(FEE, 'legacy').agent);
      assert.equal((await balance(healthy))['owed_lamports'].agents - before, earned - PAID);
      assert.deepEqual((await findBroken(shared.database)).broken, []);
    });
  }
});
