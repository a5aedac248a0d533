/** A signature works only where it was made for: on this host, for the call that showed it first, and for a grant only if it names one. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../../harness/agents.ts';
import { connectAgain, copiedSignature, countRows, MINUTE, openWalletSession, requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, type CallOptions, call, expectCall, type Reply } from '../../harness/http.ts';
import { hireWith, type MachineBuyer, openMachineBuyer, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { registerProgram } from '../../harness/oauth.ts';
import { listService, openProvider, walletOf } from '../../harness/orders.ts';
import { agentBody, asHeaders, baseWallet, type SignatureFields, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';
import { createMaker, makeToken } from '../../harness/tokens.ts';

const NETWORK = 'base-mainnet';
const SEEN = '401 signature_already_used';

let market: TestMarket;
let url: string;
/** A service that costs a machine 5.50. */
let service: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
  service = await listService(url, await openProvider(url), { price_usd: '5.00' });
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);

/** The text of a custody signature, written by hand. `body` has one field, so that its JSON is canonical. */
function custodyText(host: string | undefined, wallet: string, at: number, route: string, body: object): string {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return ['market', ...(host === undefined ? [] : [host]), wallet, at, route, hash].join(':');
}

for (const makeWallet of [baseWallet, solanaWallet]) {
  const { chain: kind } = makeWallet();

  test(`V05: a ${kind} custody signature that names no host or another host exports nothing; ours does`, async () => {
    const owner = makeWallet();
    const agent = await registerOwnedAgent(url, owner);
    const path = `/api/agents/${agent.id}/export-key` as const;
    const body = { chain: 'base' };
    const attempt = async (host: string | undefined, age = 0): Promise<Reply> => {
      const at = Date.now() - age;
      const wallet_sig = await owner.sign(custodyText(host, owner.address, at, `POST ${path}`, body));
      return await send(`POST ${path}`, { body: { ...body, wallet: owner.address, wallet_sig, wallet_sig_ts: at } });
    };
    const refusals = ['401 custody_signature_required', '401 invalid_signature'];
    const [none, other] = [await attempt(undefined), await attempt('market.evil.example', 1000)];
    requireOutcomes({
      'without host': [none, ...refusals],
      'with another host': [other, ...refusals],
      'keys exported': [await countRows(market, 'wallet_log', 'agent_id', agent.id), 0],
      'private keys shown': [valuesOf([none.body, other.body], 'private_key').length, 0],
      'with our host': [await attempt(new URL(url).host, 2000), '200'],
    });
  });
}

/** Ways to show a route a signature that is single use elsewhere. */
const sightings: Readonly<Record<string, (fields: SignatureFields) => Promise<Reply>>> = {
  'in a query': (fields) => send(`GET /api/notifications${asQuery(fields)}`),
  'in headers': (fields) => send('GET /api/orders', { headers: asHeaders(fields) }),
  'in a body': (fields) => send('PUT /api/profile', { body: { display_name: 'Ines', ...fields } }),
};

for (const [where, show] of Object.entries(sightings)) {
  test(`V19: a signature that another route saw ${where} recovers no key and registers no agent`, async () => {
    const victim = solanaWallet();
    const agent = await registerOwnedAgent(url, victim);
    const see = async (ageMs: number): Promise<SignatureFields> => {
      const fields = await signed(victim, Date.now() - ageMs);
      assert.equal((await show(fields)).status, 200);
      return fields;
    };
    const recovered = await send('POST /api/agents/recover', { body: await see(MINUTE) });
    const body = agentBody({ owner_wallet: victim.address, ...(await see(2 * MINUTE)) });
    const registered = await send('POST /api/agents/register', { body });
    requireOutcomes({
      recovery: [recovered, SEEN],
      'the key came': [JSON.stringify(recovered.body).includes(agent.key), false],
      registration: [registered, SEEN],
      'agents of the wallet': [await countRows(market, 'agents', 'owner_wallet', victim.address), 1],
    });
  });
}

test('V19: a signature that another route saw registers no token', async () => {
  const maker = await createMaker(market);
  const owner = walletOf(maker);
  const agent = await registerOwnedAgent(url, owner);
  const { mint } = await makeToken(maker);
  const token = { token_mint: mint, token_name: 'Ledger Fox', token_symbol: 'LFOX', token_mode: 'pumpfun' };
  const body = { ...token, token_creator_wallet: owner.address, ...(await copiedSignature(url, owner)) };
  const registered = await send(`POST /api/agents/${agent.id}/token`, { body });
  requireOutcomes({
    registration: [registered, SEEN],
    'agents with the token': [await countRows(market, 'agents', 'token_mint', mint), 0],
  });
});

test('V19: a signature that is 14 minutes old registers no agent', async () => {
  for (const victim of [baseWallet(), solanaWallet()]) {
    const proof = await signed(victim, Date.now() - 14 * MINUTE);
    const registered = await send('POST /api/agents/register', { body: agentBody({ owner_wallet: victim.address, ...proof }) });
    requireOutcomes({
      [`registration by ${victim.chain}`]: [registered, '401 signature_expired'],
      'agents of the wallet': [await countRows(market, 'agents', 'owner_wallet', victim.address), 0],
    });
  }
});

test('V19: one signature registers one agent', async () => {
  const owner = solanaWallet();
  const proof = { owner_wallet: owner.address, ...(await signed(owner)) };
  const [first, second] = [await registerAgent(url, proof), await send('POST /api/agents/register', { body: agentBody(proof) })];
  requireOutcomes({
    'a second registration': [second, SEEN],
    'agents of the wallet': [await countRows(market, 'agents', 'owner_wallet', owner.address), 1],
    'the first key': [await send('GET /api/agents/me', { key: first.key }), '200'],
  });
});

/** Refusals of an ordinary signature where a grant needs a session, an account or a custody signature. */
const NO_GRANT = ['401 custody_signature_required', '401 sign_in_message_required', '403 owner_proof_required', '403 wrong_credential'];

interface Limited {
  readonly owner: MachineBuyer;
  readonly agent: TestAgent;
  readonly cookie: string;
}

/** An agent of a wallet with a policy that its owner set in a session. */
async function openLimited(policy: Record<string, unknown>): Promise<Limited> {
  const owner = await openMachineBuyer(market, NETWORK);
  const agent = await registerOwnedAgent(url, owner);
  const cookie = await openWalletSession(url, owner);
  await expectCall(url, 200, `PUT /api/spending/policies/agent/${agent.id}`, { headers: { cookie }, body: policy });
  return { owner, agent, cookie };
}

async function hire({ agent, owner }: Limited): Promise<Reply> {
  const offer = await readOffer(market, url, service, NETWORK);
  return await hireWith(url, service, { authorization: `Bearer ${agent.key}`, ...versionTwo(offer, await owner.authorise(offer)) });
}

const copied = async (victim: TestWallet) => asHeaders(await copiedSignature(url, victim));

test('V21: a copied signature raises no spend limit, and lifts no freeze', async () => {
  const limited = await openLimited({ per_day_usd: '2.00' });
  const path = `/api/spending/policies/agent/${limited.agent.id}` as const;
  const raise = await send(`PUT ${path}`, { headers: await copied(limited.owner), body: { per_day_usd: '9000.00' } });
  const hired = await hire(limited);
  const freeze = await send(`PATCH ${path}`, { headers: asHeaders(await signed(limited.owner)), body: { frozen: true } });
  const lift = await send(`PATCH ${path}`, { headers: await copied(limited.owner), body: { frozen: false } });
  requireOutcomes({
    'limit of 9,000 USD': [raise, ...NO_GRANT],
    'hire for 5.50': [hired, '403 spend_refused'],
    'freeze by ordinary signature': [freeze, '200'],
    'lifting the freeze': [lift, ...NO_GRANT],
    'hire after it': [await hire(limited), '403 spending_frozen'],
  });
});

test('V21: a copied signature approves no waiting payment', async () => {
  const limited = await openLimited({ approve_above_usd: '1.00' });
  const asked = await hire(limited);
  assert.equal(asked.body['code'], 'approval_required', JSON.stringify(asked.body));
  const path = `/api/spending/approvals/${asked.body['data'].approval_id}` as const;
  const approved = await send(`POST ${path}`, { headers: await copied(limited.owner), body: { decision: 'approve' } });
  requireOutcomes({ approval: [approved, ...NO_GRANT], 'hire after it': [await hire(limited), '403 approval_required'] });
  await expectCall(url, 200, `POST ${path}`, { headers: { cookie: limited.cookie }, body: { decision: 'approve' } });
  requireOutcomes({ 'hire that the session approved': [await hire(limited), '200'] });
});

test('V21: a copied signature changes no connection', async () => {
  const person = baseWallet();
  const cookie = await openWalletSession(url, person);
  const [name = '', value = ''] = cookie.split('=');
  const chosen = { scope: 'read hire', daily_limit_usd: '1.50' };
  const { connectionId } = await connectAgain(url, { [name]: value }, await registerProgram(url), chosen);
  const change = await send(`PATCH /api/connections/${connectionId}`, {
    headers: await copied(person),
    body: { daily_limit_usd: '9000.00' },
  });
  const listed = await send('GET /api/connections', { headers: { cookie } });
  requireOutcomes({
    change: [change, ...NO_GRANT],
    'limit of the connection': [String(valuesOf(listed.body, 'daily_limit_usd')[0]), '1.50'],
    'Disconnect by ordinary signature': [
      await send(`DELETE /api/connections/${connectionId}`, { headers: asHeaders(await signed(person)) }),
      '200',
    ],
  });
});
