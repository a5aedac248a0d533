/** Another owner's agent: every operation on it refuses strangers, changes nothing and reveals only public fields. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, operationList, signatureTierOf } from '@market/contract';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { fingerprintTables } from '../harness/all-rows.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { asHeaders, baseWallet, openSession, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

/** Every operation on one agent. Except that any wallet may let any agent pay: this gives only the wallet's own money. */
const ofAnAgent = operationList.filter(
  ({ name, spec }) => spec.rest.path.includes('/agents/{id}') && spec.output.stream !== true && name !== 'wallets.allowPayer',
);

/** Refusals where signatures are single use: a session or a used signature proves no identity there. */
const UNPROVEN = ['invalid_signature', 'signature_already_used'];

type Headers = Record<string, string>;

describe('an agent that belongs to another owner', () => {
  let market: TestMarket;
  let victim: Provider;
  let strangers: Record<string, Headers>;
  let ownSecrets: readonly string[];

  before(async () => {
    market = await openMarket({ JOBS: 'off', OUTBOUND_ALLOW: '127.0.0.1' });
    const { url } = market;
    victim = await openProvider(url);
    await listService(url, victim);
    const endpoint = { endpoint_url: 'http://127.0.0.1:9/hook' };
    const set = await call(url, `PATCH /api/agents/${victim.id}`, { headers: victim.headers, body: endpoint });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    ownSecrets = [victim.key, String(set.body['data'].webhook_secret), endpoint.endpoint_url];
    strangers = await gatherStrangers();
  });
  after(() => market.close());

  /** Every kind of stranger, close ones included: agents without owner, agents of the same owner. */
  async function gatherStrangers(): Promise<Record<string, Headers>> {
    const { url } = market;
    const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
    const [other, sister, unowned] = [await openProvider(url), await registerOwnedAgent(url, victim.owner), await registerAgent(url)];
    // The token does not assert the victim's wallet, so no link exists.
    const person = bearer(await tokenFor(url, { email: 'stranger@example.com' }));
    const session = await openSession(url, solanaWallet());
    return {
      'a stranger’s wallet': asHeaders(await signed(baseWallet())),
      'a stranger’s session': { cookie: session },
      'a stranger’s account': person,
      'a stranger’s account and wallet together': { ...person, ...asHeaders(await signed(solanaWallet())) },
      'another agent’s key': other.headers,
      'another agent’s owner': asHeaders(await signed(other.owner)),
      'another agent of the same owner': bearer(sister.key),
      'an agent without owner': bearer(unowned.key),
    };
  }

  /** Sends the contract's own example, for this agent. */
  async function ask({ spec }: NamedOperation, agent: string, headers: Headers): Promise<Reply> {
    const { method, path } = spec.rest;
    const example = spec.examples[0]?.input ?? {};
    const fields = Object.keys(spec.input?.body?.shape ?? {}).filter((name) => name in example);
    const filled = path.replace('{id}', agent).replace(/\{(\w+)\}/g, (_all, name: string) => String(example[name]));
    const body = Object.fromEntries(fields.map((name) => [name, example[name]]));
    return await call(market.url, `${method} ${filled as `/${string}`}`, { headers, ...(method !== 'GET' && { body }) });
  }

  function requireSilence(reply: Reply, what: string): void {
    const text = JSON.stringify(reply.body);
    for (const secret of ownSecrets) assert.ok(!text.includes(secret), `${what} reads ${secret}`);
  }

  test('A02: the contract has at least 19 operations on one agent', () => {
    assert.ok(ofAnAgent.length >= 19, String(ofAnAgent.length));
    assert.ok(ofAnAgent.some(({ name }) => name === 'money.agentStatement'));
  });

  for (const operation of ofAnAgent) {
    /** Some documents have no envelope. */
    const fieldsOf = ({ body }: Reply): string[] => Object.keys(operation.spec.output.bare === true ? body : body['data']);
    const isPublic = operation.spec.access.accepts.includes('anonymous');

    test(`A02: ${operation.name} of a foreign agent: ${isPublic ? 'strangers read the public fields only' : 'answers 401 without credentials and 403 to strangers, by id and by slug'}`, async () => {
      const before = await fingerprintTables(market);
      for (const agent of [victim.id, victim.slug]) {
        const nobody = await ask(operation, agent, {});
        requireSilence(nobody, 'nobody');
        assert.equal(nobody.status, isPublic ? 200 : 401, JSON.stringify(nobody.body));
        await Promise.all(
          Object.entries(strangers).map(async ([who, headers]) => {
            const reply = await ask(operation, agent, headers);
            requireSilence(reply, who);
            if (isPublic) return assert.deepEqual(fieldsOf(reply), fieldsOf(nobody), who);
            const isUnproven = signatureTierOf(operation.spec) === 'single_use' && UNPROVEN.includes(reply.body['code']);
            assert.equal(reply.status, isUnproven ? 401 : 403, `${who}: ${JSON.stringify(reply.body)}`);
            assert.deepEqual(faultsOfRefusal(reply), [], who);
            assert.equal(reply.body['data'], undefined, who);
          }),
        );
      }
      assert.deepEqual(await fingerprintTables(market), before);
    });
  }

  /** This market has no chains, so authorised readers may get these codes of operations that need a registry or a vault. */
  const withoutChains = ['onchain_identity_unavailable', 'earn_unavailable'];
  const isReadable = ({ status, body }: Reply): boolean => status === 200 || withoutChains.includes(body['code']);

  test('A02: an agent and its owner may read where strangers may not', async () => {
    for (const operation of ofAnAgent.filter(({ spec }) => spec.effects.kind === 'read')) {
      if (operation.spec.rest.path.includes('{delivery_id}')) continue;
      for (const headers of [victim.headers, asHeaders(await signed(victim.owner))])
        assert.ok(isReadable(await ask(operation, victim.id, headers)), operation.name);
    }
  });
});
