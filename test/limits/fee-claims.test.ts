/** Claims of creator fees at one moment: agent, owner and operator at two processes claim the same share. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { splitCreatorFee } from '@market/contract';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { freshAddress, type SolanaPayer } from '../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

const ROUNDS = times(2, 12);
const OF_EACH = times(4, 10);
/** The agent's share of it is above the smallest claim. */
const FEE = 60_000_000n;
const SHARE = Number(splitCreatorFee(FEE, 'legacy').agent);

suite('a share that everybody claims at once', () => {
  let shared: SharedMoney;
  let servers: readonly [ServerProcess, ServerProcess];
  let maker: SolanaPayer;
  let agent: TestAgent;
  let mint: string;
  let admins: readonly string[];

  const balance = async (): Promise<Envelope> => await expectCall(servers[0].url, 200, 'GET /api/fees/balance', { key: admins[0] ?? '' });
  const collect = () => call(servers[0].url, 'POST /api/fees/collect', { key: admins[0] ?? '' });
  const claim = (n: number, options: object): Promise<Reply> =>
    call(servers[n % 2]?.url ?? '', `POST /api/agents/${agent.id}/token/claim`, { headers: {}, ...options });
  const pay = (n: number, recipient_wallet: string, amount_lamports: number): Promise<Reply> => {
    const body = { recipient_wallet, agent_id: agent.id, token_mint: mint, amount_lamports };
    return call(servers[n % 2]?.url ?? '', 'POST /api/fees/payout', { key: admins[n % 2] ?? '', body });
  };

  before(async () => {
    shared = await openSharedMoney();
    const start = () => shared.startServer({ ADMIN_EMAILS: 'boss@example.com' });
    servers = await Promise.all([start(), start()]);
    admins = await Promise.all(servers.map(({ url }) => tokenFor(url, { email: 'boss@example.com' })));
    maker = await createMaker(shared);
    const wallet = walletOf(maker);
    agent = await registerOwnedAgent(servers[0].url, wallet);
    ({ mint } = await makeToken(maker));
    const token = {
      token_mint: mint,
      token_name: 'Earner',
      token_symbol: 'EARN',
      token_mode: 'byot',
      token_creator_wallet: wallet.address,
    };
    await expectCall(servers[0].url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...token, ...(await signed(wallet)) } });
    await until('the float', async () => {
      await collect();
      return (await balance())['float_lamports'] > 0 ? true : undefined;
    });
  });
  after(() => shared.close());

  test(`R12, M30: of ${OF_EACH * 3} parallel claims and payouts of one fee share at most one of each succeeds, ${ROUNDS} rounds; every lamport leaves once`, async (t) => {
    const tally = { claims: 0, payouts: 0 };
    const vault = String((await balance())['vault_address']);
    for (let round = 0; round < ROUNDS; round++) {
      const owedBefore = (await balance())['owed_lamports'].agents;
      await untilFinal(maker.chain, await payFee(maker, vault, FEE, mint));
      await until('the share', async () => {
        await collect();
        return (await balance())['owed_lamports'].agents === owedBefore + SHARE ? true : undefined;
      });
      const owed = owedBefore + SHARE;
      // More than half: two such payouts, or one beside a claim, exceed the share.
      const byOperator = Math.floor(owed * 0.6);
      const recipient = freshAddress('solana-mainnet');
      const held = (await maker.chain.readBalances(maker.address)).native;
      const owner = asHeaders(await signed(walletOf(maker)));
      const started = performance.now();
      const ways = [
        (n: number) => pay(n, recipient, byOperator),
        (n: number) => claim(n, { key: agent.key }),
        (n: number) => claim(n, { headers: owner }),
      ];
      const replies = await Promise.all(Array.from({ length: OF_EACH * ways.length }, (_, n) => ways[n % ways.length]?.(n)));
      const outcomes = replies.map((reply, n) => ({ by: n % ways.length === 0 ? ('payouts' as const) : ('claims' as const), reply }));
      const won = outcomes.filter(({ reply }) => reply?.body['data']?.status === 'pending');
      const count = (by: 'payouts' | 'claims') => won.filter((one) => one.by === by).length;
      // The rest after an operator's payout can be claimed, once.
      assert.ok(count('payouts') <= 1 && count('claims') <= 1 && won.length > 0, JSON.stringify(outcomes));
      for (const { by, reply } of outcomes) {
        if (by === 'payouts')
          assert.ok(reply?.status === 200 || reply?.body['code'] === 'fee_share_too_small', JSON.stringify(reply?.body));
        else assert.equal(reply?.status, 200, JSON.stringify(reply?.body));
      }
      tally.payouts += count('payouts');
      tally.claims += count('claims');
      t.diagnostic(`round ${round}: ${replies.length} requests in ${Math.round(performance.now() - started)} ms`);
      await until('the payouts', async () => {
        const all = (await expectCall(servers[0].url, 200, 'GET /api/fees/payouts', { key: admins[0] ?? '' })) as Envelope[];
        return all.some(({ status }) => status === 'pending') ? undefined : true;
      });
      const claimed = won.reduce((sum, { reply }) => sum + Number(reply?.body['data'].paidLamports ?? 0), 0);
      const paid = count('payouts') * byOperator;
      assert.equal((await maker.chain.readBalances(recipient)).native, BigInt(paid));
      assert.equal((await maker.chain.readBalances(maker.address)).native - held, BigInt(claimed));
      assert.equal((await balance())['owed_lamports'].agents, owed - paid - claimed);
    }
    t.diagnostic(JSON.stringify(tally));
    assert.deepEqual((await findBroken(shared.database)).broken, []);
  });
});
