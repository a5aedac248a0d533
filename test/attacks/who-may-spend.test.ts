/** Who may spend a transfer, at every entrance: what a key, program, signature and reference prove, and which wallets must sign. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { allowPayer, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { postBounty } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  type Headers,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  PRICE_MICROS,
  requireHired,
  signPayment,
  transferProof,
} from '../harness/machine-buyers.ts';
import { registerWith } from '../harness/machine-registrations.ts';
import { callTool, connectMcp } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { openProvider, placeOrder, readOrder } from '../harness/orders.ts';
import { agentBody, agreed, asHeaders, baseWallet, signed, signedFor, tokenFor } from '../harness/people.ts';
import { requireSound } from '../money/money.ts';

const NETWORK = 'base-mainnet';

suite('who may spend a transfer', () => {
  let stage: MachineStage;
  let url: string;
  before(async () => {
    stage = await openMachineStage();
    [url] = stage.urls;
  });
  after(async () => {
    await requireSound(stage.money);
    await stage.close();
  });

  const codeOf = ({ status, body }: Reply) => [status, body['code']];
  const pay = async ({ payer }: MachineBuyer, micros = CHARGED_MICROS, note?: string) =>
    await payer.pay(payer.chain.treasury, micros, 'final', note);
  const bareHire = async (buyer: MachineBuyer, more: Headers = {}) =>
    await hireWith(url, stage.serviceId, { ...transferProof(NETWORK, await pay(buyer)), ...more });
  const payOrder = async (id: string, reference: string, options: { key?: string; headers?: Headers }) =>
    await call(url, `PATCH /api/orders/${id}`, { ...options, body: { action: 'pay', escrow_tx_hash: reference, payment_chain: 'base' } });
  const placeByKey = async ({ key }: TestAgent) => {
    const placed = await call(url, 'POST /api/orders', { key, body: { service_id: stage.serviceId, brief: 'For the agent, please.' } });
    return String(placed.body['data'].order_id);
  };

  test('V06: a key spends no transfer of its owner’s wallet, through any entrance, until that wallet allows it', async () => {
    const owner = await openMachineBuyer(stage, NETWORK);
    const agent = await registerOwnedAgent(url, owner);
    const { key } = agent;
    const bearer = { authorization: `Bearer ${key}` };
    const reference = await pay(owner);
    const shown = { ...transferProof(NETWORK, reference), ...bearer };
    const poster = await openMachineBuyer(stage, NETWORK);
    const { id: bounty } = await postBounty(url, poster, { budget_usd: '5.00', claim_stake_usd: '0.50' });
    const orderId = await placeByKey(agent);
    const doors: Record<string, () => Promise<Reply>> = {
      'x402 pay': () => hireWith(url, stage.serviceId, shown),
      'x402 path': () => call(url, `POST /api/x402/discover/${stage.serviceId}`, { headers: shown, body: { brief: 'Mine.' } }),
      'orders with a payment': () =>
        call(url, 'POST /api/orders', { headers: shown, body: { service_id: stage.serviceId, brief: 'For me and the agent.' } }),
      registration: () => registerWith(url, shown, agentBody()),
      'orders.pay': () => payOrder(orderId, reference, { key }),
      'a stake': () =>
        call(url, `POST /api/bounties/${bounty}/claim`, {
          key,
          body: { agent_id: agent.id, message: 'I can do this well.', stake_tx_hash: reference, payment_chain: 'base' },
        }),
    };
    for (const [door, knock] of Object.entries(doors)) {
      const refused = await knock();
      const expected = door === 'orders.pay' || door === 'a stake' ? [403, 'payment_wrong_payer'] : [409, 'payment_reserved'];
      assert.deepEqual(codeOf(refused), expected, `${door}: ${JSON.stringify(refused.body)}`);
      assert.equal(refused.body['data'].payer, owner.address, door);
      assert.match(refused.body['data'].allow.message, new RegExp(`:POST /api/agents/${agent.id}/payers:`), door);
      assert.match(refused.body['error'], /does not vouch for a wallet of its owner/, door);
    }

    // The refusal holds everything that the wallet needs to allow the agent.
    const { allow } = (await hireWith(url, stage.serviceId, shown)).body['data'];
    const body = { ...allow.body, wallet_sig: await owner.sign(allow.message) };
    const allowed = await call(url, `${allow.method} ${new URL(allow.url).pathname}` as 'POST /x', { body });
    assert.equal(allowed.status, 200, JSON.stringify(allowed.body));
    const paid = await hireWith(url, stage.serviceId, shown);
    await requireHired(paid);
    assert.equal(paid.body['data'].contestable_until, null);
    assert.equal((await payOrder(orderId, await pay(owner, PRICE_MICROS), { key })).status, 200);
  });

  test('V06: a signature of the paying wallet beside the key pays, and the agent is the buyer', async () => {
    const payer = await openMachineBuyer(stage, NETWORK);
    const agent = await registerOwnedAgent(url, baseWallet());
    const orderId = await placeByKey(agent);
    const reference = await pay(payer, PRICE_MICROS);
    assert.deepEqual(codeOf(await payOrder(orderId, reference, { key: agent.key })), [403, 'payment_wrong_payer']);
    const paid = await payOrder(orderId, reference, { key: agent.key, headers: asHeaders(await signed(payer)) });
    assert.deepEqual([paid.status, paid.body['data'].client_agent_id, paid.body['data'].payer_address], [200, agent.id, payer.address]);
  });

  test('V06: a key does not confirm a contestable order although its owner’s wallet paid', async () => {
    const payer = await openMachineBuyer(stage, NETWORK, 10n * CHARGED_MICROS);
    const agent = await registerOwnedAgent(url, baseWallet());
    const hired = await bareHire(payer, { authorization: `Bearer ${agent.key}` });
    const { orderId } = await requireHired(hired);
    assert.notEqual(hired.body['data'].contestable_until, null);
    await stage.database.pool.query('update agents set owner_wallet = $2 where id = $1', [agent.id, payer.address]);
    const { body } = await call(url, `PATCH /api/orders/${orderId}`, { key: agent.key, body: { action: 'dispute', reason: 'A test.' } });
    const { rows } = await stage.database.pool.query('select proof from payment_claims where subject_id = $1', [orderId]);
    assert.deepEqual(rows, [{ proof: 'bare' }], JSON.stringify(body));
  });

  test('V24: a connected program without an agent spends no transfer of its person’s linked wallet; the person does', async () => {
    const linked = await openMachineBuyer(stage, NETWORK);
    const token = await tokenFor(url, { email: 'payer-of-program@example.com' });
    await call(url, 'POST /api/auth/idp', { key: token, body: {} });
    const link = await agreed(url, linked, { action: 'link_wallet' }, token);
    const made = await call(url, 'POST /api/auth/wallets', { key: token, body: link });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const { accessToken } = await connectProgram(url, token, { scope: 'read hire' });
    const client = await connectMcp(url, accessToken);
    const args = { service_id: stage.serviceId, brief: 'For the program.', tx_signature: await pay(linked), chain: 'base' };
    const reply = await callTool(client, 'submit_payment', args);
    assert.equal(reply.isError, true, JSON.stringify(reply));
    assert.equal(reply.structuredContent['code'], 'payment_reserved', JSON.stringify(reply.structuredContent));
    await client.close();
    // The person themselves pays with the same transfer.
    const own = { ...transferProof(NETWORK, args.tx_signature), authorization: `Bearer ${token}` };
    await requireHired(hireWith(url, stage.serviceId, own));
  });

  test('V22: a payout address that a stranger wrote does not make that wallet known', async () => {
    const victim = await openMachineBuyer(stage, NETWORK);
    const stranger = await openProvider(url);
    const body = { payout_address_base: victim.address };
    const path = `/api/agents/${stranger.id}` as const;
    const proof = await signedFor(url, stranger.owner, { method: 'PATCH', path, body });
    const written = await call(url, `PATCH ${path}`, { body: { ...body, ...proof } });
    assert.equal(written.status, 200, JSON.stringify(written.body));
    await requireHired(bareHire(victim));
  });

  test('V13: a wallet with bare transfers only can pay bare until its first proof of any kind', async () => {
    const bare = await openMachineBuyer(stage, NETWORK);
    await requireHired(bareHire(bare));
    await requireHired(bareHire(bare));
    const proofs: Record<string, (buyer: MachineBuyer) => Promise<unknown>> = {
      'a signature on a read': async (buyer) => call(url, 'GET /api/orders', { headers: asHeaders(await signed(buyer)) }),
      'a session': async (buyer) => call(url, 'POST /api/auth/session', { body: await agreed(url, buyer, { action: 'session' }) }),
      'a signed order': (buyer) => placeOrder(url, stage.serviceId, buyer),
      'an open bounty': (buyer) => postBounty(url, buyer),
      'an agent': (buyer) => registerOwnedAgent(url, buyer),
      'a paying permission': async (buyer) => allowPayer(url, buyer, (await registerOwnedAgent(url, baseWallet())).id),
      'a standard payment': async (buyer) => requireHired(hireWith(url, stage.serviceId, await signPayment(stage, buyer))),
      'a transfer with our reference': async (buyer) => {
        const asked = await hireWith(url, stage.serviceId, {});
        const { text } = asked.body['extra'].paymentReference;
        await requireHired(hireWith(url, stage.serviceId, transferProof(NETWORK, await pay(buyer, CHARGED_MICROS, text))));
      },
    };
    for (const [what, prove] of Object.entries(proofs)) {
      const buyer = await openMachineBuyer(stage, NETWORK);
      await prove(buyer);
      const refused = await bareHire(buyer);
      assert.deepEqual(codeOf(refused), [409, 'payment_reserved'], `${what}: ${JSON.stringify(refused.body)}`);
      assert.match(refused.body['data'].pay_url, /reference=mp1-/);
      assert.equal(refused.body['data'].allow, undefined, 'nobody to allow');
    }
  });

  test('V06: an ordinary signature spends one transfer, and none after five minutes', async () => {
    const buyer = await openMachineBuyer(stage, NETWORK);
    const signature = asHeaders(await signed(buyer));
    const first = transferProof(NETWORK, await pay(buyer));
    await requireHired(hireWith(url, stage.serviceId, { ...first, ...signature }));
    await requireHired(hireWith(url, stage.serviceId, { ...first, ...signature }));
    const second = await bareHire(buyer, signature);
    assert.deepEqual(codeOf(second), [401, 'signature_already_used'], JSON.stringify(second.body));
    const old = await bareHire(buyer, asHeaders(await signed(buyer, Date.now() - 6 * 60_000)));
    assert.deepEqual(codeOf(old), [409, 'payment_reserved'], JSON.stringify(old.body));
  });

  test('V06: an account pays from a fresh wallet with that wallet’s signature; without it the transfer stays the payer’s', async () => {
    const fresh = await openMachineBuyer(stage, NETWORK);
    const token = await tokenFor(url, { email: 'fresh-wallet@example.com' });
    const placed = await call(url, 'POST /api/orders', { key: token, body: { service_id: stage.serviceId, brief: 'For my account.' } });
    assert.equal(placed.status, 200, JSON.stringify(placed.body));
    const id = String(placed.body['data'].order_id);
    const reference = await pay(fresh, PRICE_MICROS);
    const refused = await payOrder(id, reference, { key: token });
    assert.deepEqual(codeOf(refused), [403, 'payment_wrong_payer']);
    assert.equal(refused.body['data'].sign.headers['X-Market-Wallet'], fresh.address);
    const paid = await payOrder(id, reference, { key: token, headers: asHeaders(await signed(fresh)) });
    assert.deepEqual([paid.status, paid.body['data'].payer_address], [200, fresh.address], JSON.stringify(paid.body));
  });

  test('V06: a transfer whose reference names the order pays it from any wallet, and no other order', async () => {
    for (const network of [NETWORK, 'solana-mainnet'] as const) {
      const [buyer, fresh] = [baseWallet(), await openMachineBuyer(stage, network)];
      const chain = network === NETWORK ? 'base' : 'solana';
      const [id, other] = [await placeOrder(url, stage.serviceId, buyer), await placeOrder(url, stage.serviceId, buyer)];
      const { payment_options: options } = await readOrder(url, id, buyer);
      const option = options.find((one: { network: string }) => one.network === network);
      assert.equal(option.reference.carried_as, chain === 'base' ? 'calldata_suffix' : 'memo');
      const reference = await pay(fresh, PRICE_MICROS, option.reference.text);
      const body = { action: 'pay', escrow_tx_hash: reference, payment_chain: chain };
      const wrong = await call(url, `PATCH /api/orders/${other}`, { headers: asHeaders(await signed(buyer)), body });
      assert.deepEqual(codeOf(wrong), [403, 'payment_wrong_payer']);
      const paid = await call(url, `PATCH /api/orders/${id}`, { headers: asHeaders(await signed(buyer)), body });
      assert.deepEqual([paid.status, paid.body['data'].payer_address], [200, fresh.address], JSON.stringify(paid.body));
    }
  });

  test('a prepared payment carries the reference that was asked for', async () => {
    for (const network of [NETWORK, 'solana-mainnet'] as const) {
      const buyer = await openMachineBuyer(stage, network);
      const id = await placeOrder(url, stage.serviceId, buyer);
      const { payment_options: options } = await readOrder(url, id, buyer);
      const { text } = options.find((one: { network: string }) => one.network === network).reference;
      const query = new URLSearchParams({ network, payer: buyer.address, amount_usd: '1.00', reference: text });
      const prepared = await call(url, `GET /api/payments/prepare?${query}`);
      const { transaction } = prepared.body['data'];
      const bytes = Buffer.from(text).toString('hex');
      const carried = transaction.kind === 'evm' ? transaction.data : Buffer.from(transaction.transaction, 'base64').toString('hex');
      assert.ok(carried.includes(bytes), JSON.stringify(transaction));
      query.set('reference', 'Buy my token');
      assert.equal((await call(url, `GET /api/payments/prepare?${query}`)).status, 400);
    }
  });
});
