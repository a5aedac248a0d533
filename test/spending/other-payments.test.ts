/** Payments other than hires: bounties, Earn deposits from a wallet or by transfer, and paid registrations. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { SpendingId } from '@market/contract';
import { listUndone } from '../../packages/server/src/features/spending/purchase-repository.ts';
import { settleSpending } from '../../packages/server/src/features/spending/settle.ts';
import { registerPayingAgent } from '../harness/agents.ts';
import { claimBounty, payBounty, postBounty, tryClaim } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import { offerIn, openMachineBuyer, versionTwo } from '../harness/machine-buyers.ts';
import { agentBody, baseWallet, signed } from '../harness/people.ts';
import { requireSound, until } from '../money/money.ts';
import { countSpendings, openSpendingStage, readDay, type SpendingStage, setPolicy, withKey } from './stage.ts';

const VAULT = 'lend_a:usdc';
const USDC = 1_000_000n;

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage({}, { hosted: false });
});
after(() => stage.close());
beforeEach(async () => {
  const owner = await openMachineBuyer(stage, 'base-mainnet', 500n * USDC);
  stage = { ...stage, owner, agent: await registerPayingAgent(stage.urls[0], owner) };
});

const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
const spent = async () => (await readDay(stage))['spent_day_usd'];

test('an Earn deposit by transfer counts once against a policy, and over the limit its transfer stays unclaimed', async () => {
  await setPolicy(stage, { per_day_usd: '110.00', allow_categories: ['coding'] });
  const treasury = stage.chains.get('base-mainnet')?.treasury ?? '';
  const deposit = (transfer: string, usd: string) =>
    call(stage.urls[0], 'POST /api/earn/pool/deposit', {
      key: stage.agent.key,
      body: { key: VAULT, amount_usd: usd, incoming_tx_hash: transfer },
    });
  const first = await stage.owner.payer.pay(treasury, 100n * USDC);
  assert.deepEqual(codeOf(await deposit(first, '100.00')), [200, null]);
  assert.deepEqual(codeOf(await deposit(first, '100.00')), [200, null], 'a repeat');
  assert.deepEqual([await spent(), await countSpendings(stage)], ['100.00', { kept: 1 }]);
  const second = await stage.owner.payer.pay(treasury, 20n * USDC);
  const refused = await deposit(second, '20.00');
  assert.deepEqual([...codeOf(refused), refused.body['data'].rule], [403, 'spend_refused', 'per_day']);
  assert.match(String(refused.body['error']), /Your transfer bought nothing/);
  const { rowCount } = await stage.database.pool.query('select 1 from payment_claims where reference = $1', [second]);
  assert.equal(rowCount, 0);
});

test('an Earn deposit from the agent’s wallet counts against its policy, and one refused for other reasons does not', async () => {
  const { urls, agent, localChains } = stage;
  await setPolicy(stage, { per_day_usd: '100.00' });
  const funding = await call(urls[0], `GET /api/agents/${agent.id}/funding`, { key: agent.key });
  const address = String(funding.body['data'].evm_address);
  const deposit = (usd: string) =>
    call(urls[1], `POST /api/agents/${agent.id}/earn/deposit`, { key: agent.key, body: { key: VAULT, amount_usd: usd } });
  assert.equal((await deposit('30.00')).body['code'], 'wallet_funds_insufficient');
  assert.deepEqual([await spent(), await countSpendings(stage)], ['0.00', { released: 1 }]);
  await localChains.fund({ network: 'base-mainnet', address, usdcMicros: 200n * USDC, native: 0n });
  await until('the faucet', async () =>
    ((await stage.chains.get('base-mainnet')?.readBalances(address))?.usdcMicros ?? 0n) >= 200n * USDC ? true : undefined,
  );
  const done = await deposit('30.00');
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.equal(await spent(), '30.00');
  assert.deepEqual(codeOf(await deposit('80.00')), [403, 'spend_refused']);
  const { body } = await call(urls[0], 'GET /api/spending/recent?outcome=kept', { key: agent.key });
  assert.deepEqual(
    body['data'].map(({ operation, bought }: Record<string, string>) => [operation, bought]),
    [['earn.agentDeposit', done.body['data'].transfer_id]],
  );
  const depositId = await until('the deposit', async () => {
    const { rows } = await stage.database.pool.query('select deposit_id from earn_agent_deposits where movement_id = $1', [
      done.body['data'].transfer_id,
    ]);
    return (rows[0]?.deposit_id as string | null) ?? undefined;
  });
  await requireUndoneAfter(body['data'][0].id, depositId);
});

/** Requires that a refunded deposit no longer counts, even weeks later during a budget session. Rolls everything back. */
async function requireUndoneAfter(id: SpendingId, depositId: string): Promise<void> {
  const { database } = stage;
  assert.deepEqual(await listUndone(database.db, 500), []);
  const spoilt = database.transaction(async (tx) => {
    const back = { status: 'refunding', settledAt: null, units: null, shares: null, deployReference: null } as const;
    await tx.updateTable('earnDeposits').set(back).where('id', '=', depositId).execute();
    const weeksAgo = new Date(Date.now() - 20 * 24 * 3600 * 1000);
    await tx.updateTable('spendings').set({ createdAt: weeksAgo }).where('id', '=', id).execute();
    assert.deepEqual(await listUndone(tx, 500), [id]);
    await settleSpending(tx, id, 'unknown');
    const row = await tx.selectFrom('spendings').select('status').where('id', '=', id).executeTakeFirst();
    assert.equal(row?.status, 'released');
    throw new Error('roll back');
  });
  await assert.rejects(spoilt, /roll back/);
}

test('a paid registration counts against a policy with its price', async () => {
  const { urls, owner } = stage;
  const asked = { ...agentBody(), pay_to_register: true };
  const offer = offerIn(stage, await call(urls[0], 'POST /api/agents/register?x402Version=2', { body: asked }), 'base-mainnet');
  const register = async () =>
    await call(urls[0], 'POST /api/agents/register', {
      headers: withKey(stage, versionTwo(offer, await owner.authorise(offer))),
      body: asked,
    });
  await setPolicy(stage, { per_order_usd: '0.00' });
  assert.deepEqual(codeOf(await register()), [403, 'spend_refused']);
  await setPolicy(stage, { per_order_usd: '50.00' });
  const made = await register();
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { rows } = await stage.database.pool.query(
    `select bought_kind, bought_id, amount_micros::text as paid from spendings where principal = $1 and status = 'kept'`,
    [`agent:${stage.agent.id}`],
  );
  assert.deepEqual(rows, [{ bought_kind: 'registration', bought_id: made.body['data'].agent_id, paid: offer.amount }]);
});

async function openClaim(): Promise<{ readonly bountyId: string; readonly claimId: string }> {
  const { id: bountyId } = await postBounty(stage.urls[0], stage.owner);
  return { bountyId, claimId: await claimBounty(stage.urls[0], bountyId, stage.provider) };
}

async function accept({ bountyId, claimId }: Awaited<ReturnType<typeof openClaim>>, transfer: string, url = stage.urls[0]): Promise<Reply> {
  const { wallet: client_wallet, ...signature } = await signed(stage.owner);
  const payment = { escrow_tx_hash: transfer, payment_chain: 'base' };
  const body = { claim_id: claimId, client_wallet, ...payment, ...signature };
  return await call(url, `POST /api/bounties/${bountyId}/accept`, { key: stage.agent.key, body });
}

test('an accepted claim counts once with its fee, within every rule of the policy', async () => {
  const claim = await openClaim();
  const transfer = await payBounty(stage, stage.owner);
  const rules: readonly (readonly [string, Record<string, unknown>])[] = [
    ['per_order', { per_order_usd: '10.99' }],
    ['block_agents', { block_agents: [stage.provider.id] }],
    ['block_categories', { block_categories: ['analytics'] }],
  ];
  for (const [rule, policy] of rules) {
    await setPolicy(stage, policy);
    const refused = await accept(claim, transfer);
    assert.deepEqual([...codeOf(refused), refused.body['data']?.rule], [403, 'spend_refused', rule], JSON.stringify(refused.body));
  }
  assert.equal((await stage.database.pool.query('select 1 from payment_claims where reference = $1', [transfer])).rowCount, 0);
  await setPolicy(stage, { per_day_usd: '11.00' });
  const accepted = await accept(claim, transfer);
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  assert.equal(await spent(), '11.00');
  assert.equal((await accept(claim, transfer)).status, 200, 'a repeat');
  assert.deepEqual(await countSpendings(stage), { kept: 1, refused: rules.length });
  await requireSound(stage.money);
});

test('of two claims accepted with one transfer at the same moment one is paid and counts against the policy', async () => {
  const claims = [await openClaim(), await openClaim()];
  const transfer = await payBounty(stage, stage.owner);
  await setPolicy(stage, { per_day_usd: '30.00' });
  const replies = await Promise.all(claims.map((claim, n) => accept(claim, transfer, stage.urls[n])));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409], JSON.stringify(replies.map(codeOf)));
  assert.equal(await spent(), '11.00');
  await requireSound(stage.money);
});

test('a freeze stops a claim with a stake, and no claim without one', async () => {
  const poster = baseWallet();
  const [staked, free] = [
    await postBounty(stage.urls[0], poster, { claim_stake_usd: '0.50' }),
    await postBounty(stage.urls[0], poster, { title: 'Reconcile one more month' }),
  ];
  await setPolicy(stage, { frozen: true });
  const stake = { stake_tx_hash: await payBounty(stage, stage.owner, USDC / 2n), payment_chain: 'base' };
  assert.deepEqual(codeOf(await tryClaim(stage.urls[0], staked.id, stage.agent, stake)), [403, 'spending_frozen']);
  assert.equal((await tryClaim(stage.urls[0], free.id, stage.agent)).status, 201);
  await setPolicy(stage, { per_order_usd: '0.50' });
  const claimed = await tryClaim(stage.urls[0], staked.id, stage.agent, stake);
  assert.equal(claimed.status, 201, JSON.stringify(claimed.body));
  assert.equal(await spent(), '0.00', 'a stake counts for nothing');
});
