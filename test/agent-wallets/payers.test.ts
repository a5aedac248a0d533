/** Permissions to pay from a wallet: given to an agent by the wallet alone, listed, ended by any side, and checked at each payment. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { allowPayer, registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  hireWith,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  transferProof,
} from '../harness/machine-buyers.ts';
import { asHeaders, baseWallet, signed, signedFor, solanaWallet, type TestWallet } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const ROUNDS = times(6, 20);

suite('wallets that allow an agent to pay', () => {
  let stage: MachineStage;
  let url: string;
  before(async () => {
    stage = await openMachineStage();
    [url] = stage.urls;
  });
  after(() => stage.close());

  const payersOf = async (agent: TestAgent): Promise<string[]> => {
    const { status, body } = await call(url, `GET /api/agents/${agent.slug}/payers`, { key: agent.key });
    assert.equal(status, 200, JSON.stringify(body));
    return body['data'].map(({ address }: { address: string }) => address);
  };
  const remove = async (at: string, agent: TestAgent, wallet: TestWallet, by: { key?: string; headers?: Record<string, string> }) =>
    await call(at, `DELETE /api/agents/${agent.id}/payers/${wallet.address}`, by);
  const codeOf = ({ status, body }: Reply) => [status, body['code']];

  test('V06: only the paying wallet’s custody signature lets an agent pay, on both kinds of chain; no weaker proof and no key does', async () => {
    const agent = await registerOwnedAgent(url, baseWallet());
    for (const wallet of [baseWallet(), solanaWallet()]) {
      const path = `/api/agents/${agent.id}/payers` as const;
      const weak = await call(url, `POST ${path}`, { body: await signed(wallet) });
      assert.deepEqual(codeOf(weak), [401, 'custody_signature_required']);
      assert.match(weak.body['data'].text_to_sign, new RegExp(`${wallet.address}:\\d+:POST ${path}:`));
      assert.equal((await call(url, `POST ${path}`, { key: agent.key, body: {} })).status, 403);
      const foreign = await signedFor(url, wallet, { method: 'POST', path: '/api/agents/ext_1700000000000_another00/payers', body: {} });
      assert.equal((await call(url, `POST ${path}`, { body: foreign })).status, 401, 'a permission names its agent');
      assert.deepEqual(await payersOf(agent), []);

      const allowed = await allowPayer(url, wallet, agent.id);
      assert.equal(allowed.status, 200, JSON.stringify(allowed.body));
      assert.deepEqual(
        allowed.body['data'].map(({ address, chain, networks }: Reply['body']) => [address, chain, networks]),
        [[wallet.address, wallet.chain, null]],
      );
      assert.equal((await allowPayer(url, wallet, agent.id)).body['data'].length, 1, 'twice is once');
      assert.equal((await remove(url, agent, wallet, { headers: asHeaders(await signed(wallet)) })).status, 200);
    }
  });

  test('an agent and its owner read the list of its allowed wallets; strangers do not', async () => {
    const [owner, payer] = [baseWallet(), baseWallet()];
    const agent = await registerOwnedAgent(url, owner);
    await allowPayer(url, payer, agent.id);
    const route = `GET /api/agents/${agent.id}/payers` as const;
    assert.deepEqual(await payersOf(agent), [payer.address]);
    assert.equal((await call(url, route, { headers: asHeaders(await signed(owner)) })).body['data'][0].address, payer.address);
    assert.equal((await call(url, route, { headers: asHeaders(await signed(baseWallet())) })).status, 403);
    assert.equal((await call(url, route)).status, 401);
  });

  test('wallet, agent and owner each end a paying permission; strangers do not, and ending it twice is 404', async () => {
    const [owner, payer] = [baseWallet(), baseWallet()];
    const agent = await registerOwnedAgent(url, owner);
    const sides = [{ headers: asHeaders(await signed(payer)) }, { key: agent.key }, { headers: asHeaders(await signed(owner)) }];
    for (const side of sides) {
      await allowPayer(url, payer, agent.id);
      const stranger = await remove(url, agent, payer, { headers: asHeaders(await signed(baseWallet())) });
      assert.deepEqual(codeOf(stranger), [403, 'forbidden']);
      const removed = await remove(url, agent, payer, side);
      assert.deepEqual([removed.status, removed.body['data']], [200, []], JSON.stringify(removed.body));
      assert.deepEqual(codeOf(await remove(url, agent, payer, side)), [404, 'payer_not_found']);
    }
  });

  test('owner and wallet are notified when a paying permission is given and when it ends', async () => {
    const [owner, payer] = [baseWallet(), baseWallet()];
    const agent = await registerOwnedAgent(url, owner);
    await allowPayer(url, payer, agent.id);
    await remove(url, agent, payer, { key: agent.key });
    for (const person of [owner, payer]) {
      const types = await until('both notifications', async () => {
        const { body } = await call(url, 'GET /api/notifications', { headers: asHeaders(await signed(person)) });
        const found = body['data'].map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith('payer_'));
        return found.length === 2 ? found : undefined;
      });
      assert.deepEqual(types, ['payer_removed', 'payer_allowed']);
    }
  });

  test('V07: a paying permission ends when the agent gets an owner', async () => {
    const [owner, payer] = [baseWallet(), baseWallet()];
    const agent = await registerAgent(url);
    await allowPayer(url, payer, agent.id);
    const body = { owner_wallet: owner.address };
    const proof = await signedFor(url, owner, { method: 'PATCH', path: '/api/agents/me', body });
    const owned = await call(url, 'PATCH /api/agents/me', { key: agent.key, body: { ...body, ...proof } });
    assert.equal(owned.status, 200, JSON.stringify(owned.body));
    const { rows } = await stage.database.pool.query('select address from agent_payers where agent_id = $1', [agent.id]);
    assert.deepEqual(rows, []);
  });

  test('strangers cannot fill the list of paying wallets: the agent’s own side still adds one', async () => {
    const agent = await registerOwnedAgent(url, baseWallet());
    for (let n = 0; n < 20; n += 1) assert.equal((await allowPayer(url, baseWallet(), agent.id)).status, 200);
    assert.deepEqual(codeOf(await allowPayer(url, baseWallet(), agent.id)), [409, 'too_many_payers']);
    assert.equal((await allowPayer(url, baseWallet(), agent.id, { key: agent.key })).status, 200);
  });

  test(`V06: after the answer that ended a paying permission nothing is spent by it, also by another process; ${ROUNDS} rounds`, async () => {
    const payer = await openMachineBuyer(stage, NETWORK);
    const agent = await registerOwnedAgent(url, payer);
    const [one, two] = stage.urls;
    const key = { authorization: `Bearer ${agent.key}` };
    const transfer = async () => transferProof(NETWORK, await payer.payer.pay(payer.payer.chain.treasury, CHARGED_MICROS));
    const outcomes = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      assert.equal((await allowPayer(one, payer, agent.id)).status, 200);
      const [first, late] = [await transfer(), await transfer()];
      const paying = hireWith(two, stage.serviceId, { ...first, ...key });
      await new Promise((resolve) => setTimeout(resolve, round * 7));
      const removed = await remove(one, agent, payer, { key: agent.key });
      assert.equal(removed.status, 200, JSON.stringify(removed.body));
      const after = await hireWith(two, stage.serviceId, { ...late, ...key });
      assert.deepEqual(codeOf(after), [409, 'payment_reserved']);
      const paid = await paying;
      assert.ok([200, 403, 409].includes(paid.status), JSON.stringify(paid.body));
      outcomes.add(paid.status);
      // The transfer of a refused payment stays the payer's.
      if (paid.status !== 200) {
        const own = await hireWith(one, stage.serviceId, { ...first, ...asHeaders(await signed(payer)) });
        assert.equal(own.status, 200, JSON.stringify(own.body));
      }
    }
    assert.ok(outcomes.size > 0);
    await requireSound(stage.money);
  });
});
