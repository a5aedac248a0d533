/** Creator fees end to end on the local Solana chain: receipts, shares, payouts, roles, and books that equal the vault to the lamport. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FeePath, splitCreatorFee } from '@market/contract';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { payFee, untilFinal } from '../harness/fees.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { walletOf } from '../harness/orders.ts';
import { closeOutflow, openOutflow } from '../harness/outflow.ts';
import { freshAddress, type SolanaPayer } from '../harness/payers.ts';
import { asHeaders, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { createMaker, makeToken } from '../harness/tokens.ts';
import { feeCorruptions } from '../tokens/fees/corruptions.ts';
import { findBroken } from './find-broken.ts';
import { until } from './money.ts';

const KEY = `admin_${'k3v9x1q7'.repeat(4)}`;

interface Earner extends TestAgent {
  readonly mint: string;
  readonly path: FeePath;
}

let market: TestMarket;
let maker: SolanaPayer;
let vault: string;
let admin: CallOptions;
let launched: Earner;
let older: Earner;

before(async () => {
  market = await openMarket({ ...withChains, ADMIN_EMAILS: 'boss@example.com', ADMIN_API_KEY: KEY });
  admin = { key: await tokenFor(market.url, { email: 'boss@example.com' }) };
  maker = await createMaker(market);
  vault = String(market.feeVault?.treasury);
  [launched, older] = [await openEarner('partner'), await openEarner('legacy')];
  await until('the float of the vault', async () =>
    (await collectAll()) > 0 || (await balance())['float_lamports'] > 0 ? true : undefined,
  );
});
after(() => market.close());

/** A token launched here has a launch partner. This one is registered, then marked as launched. */
async function openEarner(path: FeePath): Promise<Earner> {
  const wallet = walletOf(maker);
  const agent = await registerOwnedAgent(market.url, wallet);
  const { mint, token_name, token_symbol } = await makeToken(maker);
  const body = {
    token_mint: mint,
    token_name,
    token_symbol,
    token_mode: 'pumpfun',
    token_creator_wallet: wallet.address,
  };
  await new Promise((resolve) => setTimeout(resolve, 2));
  await expectCall(market.url, 200, `POST /api/agents/${agent.id}/token`, { body: { ...body, ...(await signed(wallet)) } });
  if (path === 'partner') await market.database.pool.query(`update agents set token_mode = 'partner' where id = $1`, [agent.id]);
  return { ...agent, mint, path };
}

const balance = async (): Promise<Envelope> => await expectCall(market.url, 200, 'GET /api/fees/balance', { key: KEY });
const payouts = async (): Promise<Envelope[]> => (await expectCall(market.url, 200, 'GET /api/fees/payouts', { key: KEY })) as Envelope[];

async function collectAll(): Promise<number> {
  const { status, body } = await call(market.url, 'POST /api/fees/collect', admin);
  if (status === 400) assert.equal(body['code'], 'fee_vault_empty');
  else assert.equal(status, 200, JSON.stringify(body));
  return status === 200 ? body['data'].amount_lamports : 0;
}

/** Pays a fee and waits until it is booked, by this call or the market's own job. */
async function arrive(lamports: bigint, mint?: string): Promise<string> {
  const reference = await payFee(maker, vault, lamports, mint);
  await untilFinal(maker.chain, reference);
  await until('the receipt', async () => {
    await collectAll();
    const sweeps = (await expectCall(market.url, 200, 'GET /api/fees/sweeps', { key: KEY })) as Envelope[];
    return sweeps.some(({ tx_hash }) => tx_hash === reference) ? true : undefined;
  });
  return reference;
}

const owedTo = ({ per_token_fees }: Envelope, { mint }: Earner): number =>
  per_token_fees.find((fees: Envelope) => fees['mint'] === mint)?.distributableFeesLamports ?? 0;

/** Requires that the vault holds exactly the lamports in the books: shares, float and transfers under way. */
async function requireExact(): Promise<void> {
  await until('books and vault being equal', async () => {
    const { vault_balance_lamports: held, owed_lamports: owed, float_lamports: float } = await balance();
    return held === owed.agents + owed.partner + owed.buyback + float ? true : undefined;
  });
}

test('M30: receipts of creator fees are shared out exactly, over random amounts and sequences, and the vault holds what the books say', async () => {
  const seed = Math.floor(Math.random() * 1e9);
  const before = await balance();
  const fees = Array.from({ length: 8 }, (_, n) => {
    const lamports = BigInt(1_000_000 + ((seed * (n + 7)) % 999_983));
    return { lamports, to: (n + seed) % 2 === 0 ? launched : older };
  });
  for (const { lamports, to } of fees) await arrive(lamports, to.mint);
  const shares = fees.map(({ lamports, to }) => ({ to, ...splitCreatorFee(lamports, to.path) }));
  const sum = (pick: (share: (typeof shares)[number]) => bigint) => Number(shares.reduce((total, share) => total + pick(share), 0n));
  const now = await balance();
  const message = `seed ${seed}`;
  for (const earner of [launched, older])
    assert.equal(
      owedTo(now, earner) - owedTo(before, earner),
      sum(({ to, agent }) => (to === earner ? agent : 0n)),
      message,
    );
  assert.equal(
    now['owed_lamports'].partner - before['owed_lamports'].partner,
    sum(({ partner }) => partner),
    message,
  );
  assert.equal(
    now['owed_lamports'].buyback - before['owed_lamports'].buyback,
    sum(({ buyback }) => buyback),
    message,
  );
  assert.equal(
    now['total_earned_lamports'] - before['total_earned_lamports'],
    Number(fees.reduce((total, { lamports }) => total + lamports, 0n)),
  );
  assert.equal(now['total_historical_creator_fees_sol'], now['total_earned_lamports'] / 1e9);
  await requireExact();
});

test('a creator fee receipt that names no token is float; an operator assigns it to one, once', async () => {
  const before = await balance();
  const reference = await arrive(3_000_001n);
  assert.equal((await balance())['float_lamports'] - before['float_lamports'], 3_000_001);
  const body = { tx_hash: reference, token_mint: launched.mint };
  const assigned = await expectCall(market.url, 200, 'POST /api/fees/assign', { ...admin, body });
  assert.deepEqual([assigned['tx_hash'], assigned['token_mint'], assigned['amount_lamports']], [reference, launched.mint, 3_000_001]);
  const now = await balance();
  assert.equal(now['float_lamports'], before['float_lamports']);
  assert.equal(owedTo(now, launched) - owedTo(before, launched), Number(splitCreatorFee(3_000_001n, 'partner').agent));
  assert.equal((await call(market.url, 'POST /api/fees/assign', { ...admin, body })).body['code'], 'fee_receipt_assigned');
  const unknown = { tx_hash: '5'.repeat(87), token_mint: launched.mint };
  assert.equal((await call(market.url, 'POST /api/fees/assign', { ...admin, body: unknown })).status, 404);
  const noToken = { tx_hash: reference, token_mint: solanaWallet().address };
  assert.equal((await call(market.url, 'POST /api/fees/assign', { ...admin, body: noToken })).body['code'], 'token_mint_unknown');
});

describe('payouts', () => {
  const pay = (more: Envelope, who: CallOptions = admin) =>
    call(market.url, 'POST /api/fees/payout', {
      ...who,
      body: {
        recipient_wallet: freshAddress('solana-mainnet'),
        agent_id: launched.id,
        token_mint: launched.mint,
        amount_lamports: 1_000_000,
        ...more,
      },
    });
  const untilStatus = async (id: string, status: string): Promise<Envelope> =>
    await until(`payout ${id} being ${status}`, async () =>
      (await payouts()).find((payout) => payout['id'] === id && payout['status'] === status),
    );

  before(async () => {
    await arrive(50_000_000n, launched.mint);
  });

  for (const share of ['agent', 'partner', 'buyback'] as const) {
    test(`the creator fee share of ${share} arrives to the lamport, once; network fees come from the float`, async () => {
      const recipient = freshAddress('solana-mainnet');
      const before = await balance();
      const queued = await pay({ recipient_wallet: recipient, amount_lamports: 2_345_678, share });
      assert.equal(queued.status, 200, JSON.stringify(queued.body));
      assert.equal(queued.body['data'].status, 'pending');
      const paid = await untilStatus(queued.body['data'].payout_id, 'paid');
      assert.deepEqual([paid['share'], paid['recipient_wallet'], paid['amount_lamports']], [share, recipient, 2_345_678]);
      assert.match(paid['tx_hash'], /^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
      assert.equal((await maker.chain.readBalances(recipient)).native, 2_345_678n);
      const now = await balance();
      assert.ok(now['float_lamports'] < before['float_lamports'] && now['float_lamports'] > before['float_lamports'] - 20_000);
      assert.equal(now['total_paid_out_lamports'] - before['total_paid_out_lamports'], 2_345_678);
      await requireExact();
      const listed = (await expectCall(market.url, 200, `GET /api/fees/payouts?wallet=${recipient}`, { key: KEY })) as Envelope[];
      assert.deepEqual(
        listed.map(({ id }) => id),
        [paid['id']],
      );
    });
  }

  test('a creator fee payout that cannot arrive fails, and its share is owed again', async () => {
    const before = await balance();
    const queued = await pay({ amount_lamports: 1 });
    const failed = await untilStatus(queued.body['data'].payout_id, 'failed');
    assert.match(failed['reason'], /lamports/);
    const now = await balance();
    assert.deepEqual([owedTo(now, launched), now['float_lamports']], [owedTo(before, launched), before['float_lamports']]);
  });

  test('of two creator fee payouts that together exceed the share one is refused', async () => {
    const owed = owedTo(await balance(), launched);
    const replies = await Promise.all([pay({ amount_lamports: owed - 1000 }), pay({ amount_lamports: owed - 1000 })]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
    const refused = replies.find(({ status }) => status === 400);
    assert.equal(refused?.body['code'], 'fee_share_too_small');
    const done = replies.find(({ status }) => status === 200);
    await untilStatus(done?.body['data'].payout_id, 'paid');
    await requireExact();
  });

  test('bad creator fee payouts are 400 or 404 and change nothing', async () => {
    const before = (await payouts()).length;
    for (const more of [
      { amount_lamports: 0 },
      { amount_lamports: 10_000_000_001 },
      { amount_lamports: 1.5 },
      { recipient_wallet: 'nobody' },
      { recipient_wallet: vault },
      { agent_id: undefined },
      { token_mint: undefined },
      { share: 'mine' },
    ])
      assert.deepEqual([(await pay(more)).status, JSON.stringify(more)], [400, JSON.stringify(more)]);
    assert.equal((await pay({ agent_id: 'ext_1700000000000_000000000' })).status, 404);
    assert.equal((await pay({ token_mint: solanaWallet().address })).body['code'], 'fee_share_too_small');
    assert.equal((await payouts()).length, before);
  });

  test('A04, E57: the operators’ key reads creator fees and does not write; agents and people do neither', async () => {
    assert.deepEqual(
      [(await pay({}, { key: KEY })).status, (await call(market.url, 'POST /api/fees/collect', { key: KEY })).status],
      [403, 403],
    );
    const person = await tokenFor(market.url, { email: 'person@example.com' });
    for (const key of [launched.key, person]) {
      assert.equal((await call(market.url, 'GET /api/fees/balance', { key })).status, 403);
      assert.equal((await pay({}, { key })).status, 403);
    }
    assert.equal((await call(market.url, 'GET /api/fees/balance')).status, 401);
  });
});

test('an agent reads and claims its creator fees to its owner’s wallet, once, from 0.03 SOL up; strangers do neither', async () => {
  const route = `/api/agents/${older.id}/token/claim` as const;
  const read = (who: CallOptions) => expectCall(market.url, 200, `GET ${route}`, who);
  const claim = (who: CallOptions) => call(market.url, `POST ${route}`, who);
  const first = await read({ key: older.key });
  assert.deepEqual([first['payoutWallet'], first['minClaimSol'], first['totalSentSol']], [maker.address, 0.03, 0]);
  assert.deepEqual([(await claim({ key: older.key })).body['data'].status], ['skipped']);
  await arrive(40_000_000n, older.mint);
  const { claimableSol, totalEarnedSol } = await read({ key: older.key });
  assert.equal(claimableSol, totalEarnedSol);
  for (const key of [launched.key, await tokenFor(market.url, { email: 'person@example.com' })]) {
    assert.equal((await claim({ key })).status, 403);
    assert.equal((await call(market.url, `GET ${route}`, { key })).status, 403);
  }
  assert.equal((await claim({})).status, 401);
  const held = (await maker.chain.readBalances(maker.address)).native;
  const replies = await Promise.all([claim({ key: older.key }), claim({ headers: asHeaders(await signed(walletOf(maker))) })]);
  assert.deepEqual(replies.map(({ body }) => body['data'].status).sort(), ['pending', 'skipped']);
  const { paidLamports } = replies.find(({ body }) => body['data'].status === 'pending')?.body['data'] ?? {};
  assert.equal(paidLamports, Math.round(claimableSol * 1e9));
  await until('the claim', async () => ((await read({ key: older.key }))['paidSol'] === claimableSol ? true : undefined));
  assert.equal((await maker.chain.readBalances(maker.address)).native - held, BigInt(paidLamports));
  assert.equal((await read({ key: older.key }))['claimableSol'], 0);
  await requireExact();
});

test('the creator fee history pages, filters by token, sums to what is owed, and comes as CSV', async () => {
  const read = (query: string) => expectCall(market.url, 200, `GET /api/fees/history${query}`, { key: KEY });
  const all: Envelope[] = (await read('?limit=1000'))['lines'];
  const { owed_lamports: owed, float_lamports: float } = await balance();
  const sum = (field: string): number => all.reduce((total, line) => total + line[field], 0);
  assert.deepEqual(
    [sum('agent_lamports'), sum('partner_lamports'), sum('buyback_lamports'), sum('float_lamports')],
    [owed.agents, owed.partner, owed.buyback, float],
  );
  const first = await call(market.url, 'GET /api/fees/history?limit=5', { key: KEY });
  assert.equal(first.body['total'], all.length);
  const second = await read(`?limit=1000&cursor=${encodeURIComponent(first.body['next_cursor'])}`);
  assert.deepEqual([...first.body['data'].lines, ...second['lines']], all);
  const ofOne: Envelope[] = (await read(`?token_mint=${older.mint}&limit=1000`))['lines'];
  assert.ok(ofOne.length > 0 && ofOne.every(({ token_mint }) => token_mint === older.mint));
  const csv = await call(market.url, 'GET /api/fees/history?limit=1000', { key: KEY, headers: { accept: 'text/csv' } });
  assert.equal(String(csv.body['text']).trim().split(/\r?\n/).length, all.length + 1);
});

test('public figures count the creator fees of tokens', async () => {
  const { total_historical_creator_fees_sol: sol } = await balance();
  await until('the figures', async () => {
    const { creatorFeeSol } = await expectCall(market.url, 200, 'GET /api/platform-stats');
    return creatorFeeSol === sol ? true : undefined;
  });
});

test('B06: the audit reports lamports that the fee vault lacks (F04), and passes what has just arrived', async () => {
  const { database, chains, feeVault } = market;
  const find = async () => (await runAudit(database, chains, feeVault)).findings.filter(({ id }) => id === 'F04');
  assert.deepEqual(await find(), []);
  const held = `kind = 'treasury' and network = 'solana-mainnet/sol'`;
  await database.pool.query(`update ledger_accounts set balance_micros = balance_micros - 1000000000000 where ${held}`);
  const found = await find();
  await database.pool.query(`update ledger_accounts set balance_micros = balance_micros + 1000000000000 where ${held}`);
  assert.equal(found.length, 1);
  await payFee(maker, vault, 3_000_000n);
  assert.deepEqual(await find(), []);
});

test('B05: a creator fee payout waits while outflow is closed', async () => {
  const { pool } = market.database;
  await arrive(4_000_000n, launched.mint);
  const recipient = solanaWallet().address;
  const body = { recipient_wallet: recipient, agent_id: launched.id, token_mint: launched.mint, amount_lamports: 1_500_000 };
  await closeOutflow(market);
  const { payout_id: id } = await expectCall(market.url, 200, 'POST /api/fees/payout', { ...admin, body });
  const { state } = await until('the payout waiting', async () => {
    const { rows } = await pool.query('select state, reason from creator_fee_payouts where id = $1', [id]);
    return /Outflow is closed/.test(rows[0]?.reason ?? '') ? rows[0] : undefined;
  });
  assert.equal(state, 'queued');
  assert.equal((await maker.chain.readBalances(recipient)).native, 0n);
  await openOutflow(market);
  await until('the payout arriving', async () => ((await maker.chain.readBalances(recipient)).native === 1_500_000n ? true : undefined));
});

test('a service without a fee vault says so', async () => {
  const bare = await openMarket({ JOBS: 'off', ADMIN_EMAILS: 'boss@example.com' });
  try {
    const who = { key: await tokenFor(bare.url, { email: 'boss@example.com' }) };
    for (const route of ['GET /api/fees/balance', 'POST /api/fees/collect'] as const) {
      const { status, body } = await call(bare.url, route, who);
      assert.deepEqual([status, body['code']], [503, 'fees_unavailable']);
    }
    assert.deepEqual(await expectCall(bare.url, 200, 'GET /api/fees/sweeps', who), []);
  } finally {
    await bare.close();
  }
});

test('the audit of creator fees finds nothing, and names each corruption', async () => {
  await until('nothing being under way', async () => ((await payouts()).some(({ status }) => status === 'pending') ? undefined : true));
  // The launch of one token is only pretended (see `openEarner`), which T03 reports.
  assert.deepEqual((await findBroken(market.database)).broken, ['T03']);
  for (const { what, breaks, sql } of feeCorruptions) {
    const { broken, changed } = await findBroken(market.database, sql);
    assert.ok(changed > 0, what);
    assert.ok(broken.includes(breaks), what);
  }
});
