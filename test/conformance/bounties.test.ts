/** Bounties row by row: fields, bounds, who may do what, and the errors. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { BOUNTY, bountyBody, cancelBounty, claimBounty, postBounty, readBounty, tryClaim, withdrawClaim } from '../harness/bounties.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { callInProcess } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { openProvider, type Provider } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

const NOWHERE = 'bnty_1700000000000_nonenonen';

describe('bounties', () => {
  let market: TestMarket;
  let url: string;
  let poster: TestWallet;
  let agent: Provider;
  let admin: string;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    url = market.url;
    poster = baseWallet();
    agent = await openProvider(url);
    admin = await tokenFor(url, { email: 'ops@example.com', admin: true });
  });
  after(() => market.close());

  const outcome = ({ status, body }: Reply): string => (status < 300 ? String(status) : `${status} ${body['code']}`);
  const post = async (more: Record<string, unknown>, who = poster) =>
    await call(url, 'POST /api/bounties', { body: await bountyBody(who, more) });

  test('posting a bounty answers 201 with the whole record, and its cost', async () => {
    const bounty = await postBounty(url, poster, { reference_urls: ['https://example.com/export.csv'] });
    assert.match(bounty.id, /^bnty_\d{13}_[a-z0-9]{9}$/);
    const { id, created_at: created, expires_at: expires, next_actions: next, ...rest } = bounty;
    assert.deepEqual(
      next.map(({ action, path }: Envelope) => [action, path]),
      [['cancel', `/api/bounties/${id}`]],
    );
    assert.ok(Math.abs(Date.parse(expires) - Date.parse(`${created.replace(' ', 'T')}Z`) - 7 * 24 * 3_600_000) < 1000);
    assert.deepEqual(rest, {
      bounty_id: id,
      client_wallet: poster.address,
      poster_wallet: poster.address,
      user_id: null,
      poster_display_name: `${poster.address.slice(0, 4)}...${poster.address.slice(-4)}`,
      ...BOUNTY,
      fee_usd: '1.00',
      escrow_usd: '11.00',
      claim_window_hours: 24,
      open_days: 7,
      mode: 'open',
      claim_stake_usd: '0.00',
      decide_by: expires,
      paid_by: new Date(Date.parse(expires) + (24 + 24 + 48) * 3_600_000).toISOString(),
      reference_urls: ['https://example.com/export.csv'],
      reference_images: [],
      status: 'open',
      claims_count: 0,
      accepted_claim_id: null,
      order_id: null,
      payment_chain: null,
      payer_address: null,
      winner_agent_id: null,
      winner_agent_name: null,
      winner_agent_slug: null,
      winner_agent_avatar_url: null,
      earned_usd: null,
      completed_at: null,
      cancelled_at: null,
      updated_at: created,
    });
  });

  /** Each field with accepted values, then refused values. */
  const bounds: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
    ['title', ['abc', 'x'.repeat(100)], ['ab', 'x'.repeat(101), '', 5, null]],
    ['brief', ['x'.repeat(10), 'x'.repeat(2000)], ['x'.repeat(9), 'x'.repeat(2001), null]],
    ['category', ['coding', 'custom'], ['cooking', '', null]],
    ['deadline_hours', [1, 6, 12, 24, 48, 72, 168], [0, 2, 36, 169, '24', 1.5, null]],
    ['mode', ['open', 'pitch'], ['auction', '', 1, null]],
    ['claim_window_hours', [0, 6, 12, 24, 48, 72, 168], [1, 5, 169, '24', null]],
    ['client_wallet', [], ['0x12', 'nobody', '', null, 5]],
    [
      'reference_urls',
      [[], ['https://example.com/1', 'https://example.com/2']],
      [['not a link'], Array(6).fill('https://example.com/'), 'x'],
    ],
    ['reference_images', [[]], [['https://example.com/foreign.png'], Array(4).fill('https://example.com/a.png')]],
  ];
  for (const [field, taken, refused] of bounds) {
    test(`P10, P11: ${field} of a bounty is held to its bounds`, async () => {
      for (const value of taken) assert.equal(outcome(await post({ [field]: value })), '201', JSON.stringify(value));
      for (const value of refused) {
        const { status, body } = await post({ [field]: value });
        // `client_wallet` also names the signer, so a wrong one may be 401.
        assert.ok(status === 400 || (field === 'client_wallet' && status === 401), `${JSON.stringify(value)}: ${JSON.stringify(body)}`);
      }
    });
  }

  test('M20, P09: budget_usd of a bounty is plain decimal notation, at least 1.00, with two decimals', async () => {
    for (const value of ['1', '1.00', 1, 1.5, '250.25', '1000000'])
      assert.equal(outcome(await post({ budget_usd: value })), '201', String(value));
    const hostile = [
      '0.99',
      0,
      -1,
      '-5',
      '',
      ' 12 ',
      '1e3',
      '0x10',
      'NaN',
      'Infinity',
      '1,5',
      '1.001',
      '1.5.0',
      '1000000.01',
      '99999999999999999999',
      null,
      true,
      {},
    ];
    for (const value of hostile) assert.equal((await post({ budget_usd: value })).status, 400, JSON.stringify(value));
  });

  test('each required field of a bounty is required', async () => {
    for (const field of ['title', 'brief', 'category', 'budget_usd', 'deadline_hours']) {
      const { [field]: _left, ...body } = await bountyBody(poster);
      assert.equal((await call(url, 'POST /api/bounties', { body })).status, 400, field);
    }
  });

  test('posting a bounty needs a credential, and the named wallet must be the caller’s', async () => {
    const anonymous = await call(url, 'POST /api/bounties', { body: { ...BOUNTY, client_wallet: poster.address } });
    assert.equal(outcome(anonymous), '401 unauthenticated');
    assert.equal(outcome(await post({ ...(await signed(baseWallet())) })), '401 wallet_mismatch');
    const token = await tokenFor(url, { email: 'ines@example.com', name: 'Ines' });
    const foreign = await call(url, 'POST /api/bounties', { key: token, body: { ...BOUNTY, client_wallet: poster.address } });
    assert.equal(outcome(foreign), '401 wallet_mismatch', 'an account cannot name somebody else’s wallet');
    const both = await call(url, 'POST /api/bounties', { key: token, body: await bountyBody(poster) });
    assert.equal(both.status, 201);
    assert.equal(typeof both.body['data'].user_id, 'string');
    const { id } = both.body['data'];
    const read = await call(url, `GET /api/bounties/${id}?include_claims=1`, { key: token });
    assert.deepEqual(
      [read.body['data'].viewer_is_poster, read.body['data'].claims],
      [true, []],
      'the account that posted it is its poster',
    );
    assert.equal(outcome(await call(url, `PATCH /api/bounties/${id}`, { key: token, body: { status: 'cancelled' } })), '200');
    assert.equal(outcome(await call(url, 'POST /api/bounties', { key: agent.key, body: BOUNTY })), '403 wrong_credential');
  });

  test('a bounty whose text asks for secrets is refused', async () => {
    assert.equal(outcome(await post({ brief: 'Send me your seed phrase and I will double it.' })), '400 bounty_text_refused');
  });

  test('strangers see neither the poster’s wallet nor the claims of a bounty; the poster and operators do', async () => {
    const { id } = await postBounty(url, poster);
    await claimBounty(url, id, agent);
    const stranger = await readBounty(url, id);
    assert.deepEqual(
      [stranger.viewer_is_poster, stranger.client_wallet, stranger.poster_wallet, stranger.claims, stranger.claims_count],
      [false, null, null, undefined, 1],
    );
    assert.equal(JSON.stringify(stranger).includes(poster.address), false);
    assert.equal((await readBounty(url, id, agent.owner)).claims, undefined);
    const own = await readBounty(url, id, poster);
    assert.deepEqual([own.viewer_is_poster, own.client_wallet, own.claims.length], [true, poster.address, 1]);
    const { claim_id: claim, created_at: made, held_until: heldUntil, next_actions: next, ...shown } = own.claims[0];
    assert.ok(Math.abs(Date.parse(heldUntil) - Date.parse(`${made.replace(' ', 'T')}Z`) - 24 * 3_600_000) < 1000);
    assert.deepEqual(
      next.map(({ action }: Envelope) => action),
      ['accept'],
    );
    assert.match(claim, /^bcl_/);
    assert.deepEqual(shown, {
      id: claim,
      bounty_id: id,
      agent_id: agent.id,
      agent_name: agent.name,
      agent_slug: agent.slug,
      agent_avatar_url: null,
      agent_avg_rating: null,
      agent_completed_orders: 0,
      agent_reputation_score: null,
      agent_is_new: 1,
      claimant_wallet: null,
      user_id: null,
      stake: null,
      message: 'I do this every week.',
      status: 'pending',
      invited_at: null,
      decided_at: null,
    });
    const operator = await call(url, `GET /api/bounties/${id}?include_claims=1`, { key: admin });
    assert.deepEqual([operator.body['data'].claims.length, operator.body['data'].viewer_is_poster], [1, false]);
    const without = await call(url, `GET /api/bounties/${id}`, { headers: asHeaders(await signed(poster)) });
    assert.equal(without.body['data'].claims, undefined);
    assert.equal(outcome(await call(url, `GET /api/bounties/${NOWHERE}`)), '404 bounty_not_found');
  });

  test('an owner reads the claims of their own agents with the bounty, and of no other', async () => {
    const [one, other] = await Promise.all([openProvider(url), openProvider(url)]);
    const { id } = await postBounty(url, poster);
    const own = await claimBounty(url, id, one);
    await claimBounty(url, id, other);
    for (const seen of [
      await readBounty(url, id, one.owner),
      (await call(url, `GET /api/bounties/${id}?include_claims=1`, one)).body['data'],
    ]) {
      assert.equal(seen.claims, undefined);
      assert.deepEqual(
        seen.my_claims.map(({ claim_id, agent_id, status }: Envelope) => [claim_id, agent_id, status]),
        [[own, one.id, 'pending']],
      );
    }
    assert.equal((await readBounty(url, id)).my_claims, undefined);
    assert.deepEqual((await readBounty(url, id, poster)).my_claims, []);
  });

  test('A20: only an agent with a verified owner claims, over REST and in process', async () => {
    const { id } = await postBounty(url, poster);
    const bare = await registerAgent(url);
    assert.equal(outcome(await tryClaim(url, id, bare)), '403 owner_not_verified');
    const inProcess = await callInProcess(market, 'bounties.claim', { id }, { key: bare.key });
    assert.equal(inProcess.code, 'owner_not_verified');
    assert.equal((await readBounty(url, id)).claims_count, 0);
    assert.equal(outcome(await tryClaim(url, id, agent)), '201');
  });

  test('an owner claims by naming the agent, with a wallet signature or an account', async () => {
    const { id } = await postBounty(url, poster);
    const owner = solanaWallet();
    const owned = await registerOwnedAgent(url, owner);
    const { wallet, ...signature } = await signed(owner);
    const claim = async (more: Record<string, unknown>, key?: string) =>
      await call(url, `POST /api/bounties/${id}/claim`, { body: more, ...(key !== undefined && { key }) });
    assert.equal(outcome(await claim({ client_wallet: wallet, ...signature })), '400 invalid_input', 'agent_id is missing');
    assert.equal(outcome(await claim({ agent_id: NOWHERE, client_wallet: wallet, ...signature })), '404 agent_not_found');
    assert.equal(outcome(await claim({ agent_id: agent.id, client_wallet: wallet, ...signature })), '403 forbidden');
    assert.equal(outcome(await claim({ agent_id: agent.id }, owned.key)), '403 forbidden', 'the key of another agent');
    const taken = await claim({ agent_id: owned.id, client_wallet: wallet, ...signature });
    assert.equal(outcome(taken), '201');
    assert.deepEqual([taken.body['data'].claimant_wallet, taken.body['data'].message], [owner.address, null]);
    const token = await tokenFor(url, { email: 'otto@example.com', name: 'Otto' });
    await call(url, 'POST /api/auth/user', { key: token });
    const ofAccount = await registerAgent(url, {}, { key: token });
    assert.equal(outcome(await claim({ agent_id: ofAccount.slug, message: 'x'.repeat(500) }, token)), '201');
    const withdrawn = await call(url, `DELETE /api/bounties/${id}/claim${asQuery({ agent_id: owned.id })}`, {
      headers: asHeaders(await signed(owner)),
    });
    assert.deepEqual(withdrawn.body['data'], { bounty_id: id, status: 'withdrawn' });
    assert.equal((await readBounty(url, id)).claims_count, 1);
  });

  test('a claim is refused for what it is: unknown bounty, long message, second claim, inactive agent, closed bounty', async () => {
    const { id } = await postBounty(url, poster);
    assert.equal(outcome(await call(url, `POST /api/bounties/${id}/claim`, { body: {} })), '401 unauthenticated');
    assert.equal(outcome(await tryClaim(url, NOWHERE, agent)), '404 bounty_not_found');
    assert.equal(outcome(await tryClaim(url, id, agent, { message: 'x'.repeat(501) })), '400 invalid_input');
    assert.equal(outcome(await tryClaim(url, id, agent)), '201');
    assert.equal(outcome(await tryClaim(url, id, agent)), '409 claim_exists');
    const sleeping = await openProvider(url);
    await market.database.pool.query('update agents set active = false where id = $1', [sleeping.id]);
    const { wallet, ...signature } = await signed(sleeping.owner);
    const body = { agent_id: sleeping.id, client_wallet: wallet, ...signature };
    assert.equal(outcome(await call(url, `POST /api/bounties/${id}/claim`, { body })), '403 agent_inactive');
    const hidden = await openProvider(url);
    await call(url, 'POST /api/admin/moderation', {
      key: admin,
      body: { kind: 'agent', id: hidden.id, status: 'spam', reason: 'Asks for seed phrases.' },
    });
    assert.equal(outcome(await tryClaim(url, id, hidden)), '403 agent_not_hireable');
    assert.equal((await cancelBounty(url, id, poster)).status, 200);
    assert.equal(outcome(await tryClaim(url, id, await openProvider(url))), '400 bounty_not_open');
    assert.equal(outcome(await withdrawClaim(url, id, agent)), '200', 'nothing is pending');
    assert.equal(outcome(await withdrawClaim(url, NOWHERE, agent)), '404 bounty_not_found');
  });

  test('the agents of one owner have at most 40 open claims; withdrawing makes room', async () => {
    const owner = baseWallet();
    const [one, two] = [await registerOwnedAgent(url, owner), await registerOwnedAgent(url, owner)];
    const bounties: string[] = [];
    for (let n = 0; n < 41; n++) bounties.push((await postBounty(url, poster)).id);
    for (const [n, id] of bounties.slice(0, 40).entries()) assert.equal(outcome(await tryClaim(url, id, n % 2 === 0 ? one : two)), '201');
    const last = bounties[40] ?? '';
    assert.equal(outcome(await tryClaim(url, last, one)), '400 too_many_open_claims');
    assert.equal((await withdrawClaim(url, bounties[1] ?? '', two)).status, 200);
    assert.equal(outcome(await tryClaim(url, last, one)), '201');
    // Anybody can register an agent for a wallet that is not theirs: without a proof its claims are not this owner's.
    const next = (await postBounty(url, poster)).id;
    assert.equal(outcome(await tryClaim(url, next, one)), '400 too_many_open_claims');
    await market.database.pool.query('update agents set owner_proven = false where id = $1', [two.id]);
    assert.equal(outcome(await tryClaim(url, next, one)), '201');
  });

  test('only the poster cancels, only to cancelled, and only while it is open', async () => {
    const { id } = await postBounty(url, poster);
    const patch = async (body: Record<string, unknown>) => outcome(await call(url, `PATCH /api/bounties/${id}`, { body }));
    assert.equal(await patch({ status: 'cancelled' }), '401 unauthenticated');
    assert.equal(await patch({ status: 'cancelled', ...(await signed(agent.owner)) }), '403 not_your_bounty');
    assert.equal(await patch({ status: 'completed', ...(await signed(poster)) }), '400 invalid_input');
    assert.equal(outcome(await cancelBounty(url, NOWHERE, poster)), '404 bounty_not_found');
    const { wallet, ...signature } = await signed(poster);
    assert.equal(await patch({ status: 'cancelled', client_wallet: wallet, ...signature }), '200');
    assert.equal(outcome(await cancelBounty(url, id, poster)), '400 bounty_not_open');
    assert.equal(typeof (await readBounty(url, id)).cancelled_at, 'string');
  });

  test('accept is for the poster and names a claim of this bounty; without its chain nothing is paid', async () => {
    const [{ id }, other] = [await postBounty(url, poster), await postBounty(url, poster)];
    const [claim, foreign] = [await claimBounty(url, id, agent), await claimBounty(url, other.id, agent)];
    const accept = async (more: Record<string, unknown>, who = poster) => {
      const { wallet, ...signature } = await signed(who);
      const body = { claim_id: claim, client_wallet: wallet, escrow_tx_hash: `0x${'ab'.repeat(32)}`, ...signature, ...more };
      return outcome(await call(url, `POST /api/bounties/${id}/accept`, { body }));
    };
    assert.equal(outcome(await call(url, `POST /api/bounties/${id}/accept`, { body: { claim_id: claim } })), '401 unauthenticated');
    assert.equal(await accept({}, agent.owner), '403 not_your_bounty');
    assert.equal(await accept({ claim_id: foreign }), '404 claim_not_found');
    assert.equal(await accept({ escrow_tx_hash: '' }), '400 invalid_input');
    assert.equal(await accept({ payment_chain: 'doge' }), '400 invalid_input');
    assert.equal(await accept({ client_wallet: baseWallet().address, wallet: poster.address }), '403 payment_wrong_payer');
    assert.equal(await accept({}), '400 network_not_available');
    assert.equal((await withdrawClaim(url, id, agent)).status, 200);
    assert.equal(await accept({}), '400 claim_not_pending');
  });

  test('A03: my lists what I posted and what my agents claimed, and nothing of others', async () => {
    const [me, worker] = [baseWallet(), await openProvider(url)];
    const [posted, claimed] = [await postBounty(url, me), await postBounty(url, poster)];
    await claimBounty(url, claimed.id, worker);
    const my = async (who: { headers?: Record<string, string>; key?: string }) => await call(url, 'GET /api/bounties/my', who);
    const mine = await my({ headers: asHeaders(await signed(me)) });
    assert.deepEqual(
      mine.body['data'].map((row: Envelope) => [row['id'], row['viewer_is_poster'], row['my_claims']]),
      [[posted.id, true, []]],
    );
    for (const who of [{ key: worker.key }, { headers: asHeaders(await signed(worker.owner)) }]) {
      const [row, ...more] = (await my(who)).body['data'];
      assert.equal(more.length, 0);
      assert.deepEqual([row.id, row.viewer_is_poster, row.client_wallet], [claimed.id, false, null]);
      assert.deepEqual([row.my_claims.length, row.my_claims[0].agent_id, row.my_claims[0].status], [1, worker.id, 'pending']);
    }
    assert.equal(outcome(await my({})), '401 unauthenticated');
  });

  test('A04: operators list all bounties with their claims; others do not', async () => {
    const { id } = await postBounty(url, poster);
    await claimBounty(url, id, agent);
    const list = async (key?: string, action = 'list') =>
      await call(url, 'POST /api/admin/bounties', { body: { action }, ...(key !== undefined && { key }) });
    assert.equal(outcome(await list()), '401 unauthenticated');
    assert.equal(outcome(await list(agent.key)), '403 wrong_credential');
    assert.equal((await list(admin, 'dance')).status, 400);
    const [newest] = (await list(admin)).body['data'];
    assert.deepEqual([newest.id, newest.client_wallet, newest.claims.length], [id, poster.address, 1]);
    const body = { tx_hash: `0x${'ab'.repeat(32)}`, payer: poster.address };
    assert.equal(outcome(await call(url, `POST /api/admin/bounties/${id}/refund`, { key: agent.key, body })), '403 wrong_credential');
    assert.equal(outcome(await call(url, `POST /api/admin/bounties/${NOWHERE}/refund`, { key: admin, body })), '404 bounty_not_found');
  });

  test('E37: lists refuse a category and amounts that are none, and cut limit at 50', async () => {
    for (const query of ['category=cooking', 'min_budget=-1', 'max_budget=1e3', 'limit=0', 'offset=-1', 'cursor=wrong']) {
      assert.equal((await call(url, `GET /api/bounties?${query}`)).status, 400, query);
    }
    const reply = await call(url, 'GET /api/bounties?limit=500');
    assert.ok(reply.body['data'].length <= 50);
    assert.equal(typeof reply.body['total'], 'number');
  });
});
