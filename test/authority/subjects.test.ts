/**
 * Every operation on one agent, called by former or partial owners. The table says what their proof permits in general; handlers decide
 * for whom. A refused call changes no row.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NamedOperation, operationList, type Power, powerOf } from '@market/contract';
import { allowPayer, registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { fingerprintTables } from '../harness/all-rows.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agreed, asHeaders, baseWallet, linkWallet, openSession, signed, type TestWallet, tokenFor } from '../harness/people.ts';

type Headers = Record<string, string>;

interface Subject {
  readonly headers: Headers;
  /** Powers over the agent that this subject lacks. */
  readonly lacks: readonly Power[];
}

const everything: readonly Power[] = ['read', 'result', 'sell', 'fund', 'revoke', 'move', 'grant', 'recover'];
const operations = operationList.filter(
  ({ spec }) => spec.rest.path.includes('/agents/{id}') && spec.output.stream !== true && !spec.access.accepts.includes('anonymous'),
);

let market: TestMarket;
let agent: TestAgent;
const subjects: Record<string, Subject> = {};

before(async () => {
  market = await openMarket({ JOBS: 'off', RATE_LIMIT_SCALE: '100000' });
  const { url } = market;
  const owner = baseWallet();
  const former = await registerAgent(url);
  agent = { ...former, key: await claim(owner, former) };
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const people = await Promise.all(['linked', 'undone'].map(async (name) => await tokenFor(url, { email: `${name}@example.com` })));
  const [linked = '', undone = ''] = people;
  await linkWallet(url, undone, owner);
  const undo = await call(url, `DELETE /api/auth/links/${owner.address}`, { headers: asHeaders(await signed(owner)) });
  assert.equal(undo.status, 200, JSON.stringify(undo.body));
  await linkWallet(url, linked, owner);
  const earlier = await openSession(url, owner);
  await market.database.pool.query('update sessions set by_action = false');
  const payer = await registerOwnedAgent(url, baseWallet());
  assert.equal((await allowPayer(url, owner, payer.id)).status, 200);
  const sister = await registerOwnedAgent(url, owner);
  Object.assign(subjects, {
    'the key from before the agent had an owner': { headers: bearer(former.key), lacks: everything },
    'an account whose link the owner wallet has undone': { headers: bearer(undone), lacks: everything },
    'an agent that may pay with the owner’s wallet': { headers: bearer(payer.key), lacks: everything },
    'another agent of the same owner': { headers: bearer(sister.key), lacks: everything },
    'the account that the owner wallet is linked to': { headers: bearer(linked), lacks: ['move', 'grant', 'recover'] },
    'a session of the owner wallet by the earlier text': {
      headers: { cookie: earlier, origin: url },
      lacks: ['move', 'grant', 'recover'],
    },
  } satisfies Record<string, Subject>);
});
after(() => market.close());

/** Makes the wallet the owner; returns the new key. */
async function claim(owner: TestWallet, { id, key }: TestAgent): Promise<string> {
  const body = { owner_wallet: owner.address, ...(await agreed(market.url, owner, { action: 'own_agent', agent_id: id })) };
  const reply = await call(market.url, 'PATCH /api/agents/me', { key, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return String(reply.body['data'].api_key);
}

const inputOf = ({ spec }: NamedOperation): Record<string, unknown> => ({ ...spec.examples[0]?.input });

/** Sends the contract's own example, for this agent. */
async function ask(operation: NamedOperation, headers: Headers): Promise<Reply> {
  const { method, path } = operation.spec.rest;
  const example = inputOf(operation);
  const fields = Object.keys(operation.spec.input?.body?.shape ?? {}).filter((name) => name in example);
  const filled = path.replace('{id}', agent.id).replace(/\{(\w+)\}/g, (_all, name: string) => String(example[name]));
  const body = Object.fromEntries(fields.map((name) => [name, example[name]]));
  return await call(market.url, `${method} ${filled as `/${string}`}`, { headers, ...(method !== 'GET' && { body }) });
}

describe('operations on an agent by former and partial owners', () => {
  const names = [
    'the key from before the agent had an owner',
    'an account whose link the owner wallet has undone',
    'an agent that may pay with the owner’s wallet',
    'another agent of the same owner',
    'the account that the owner wallet is linked to',
    'a session of the owner wallet by the earlier text',
  ];
  for (const name of names) {
    test(`V03, V04, V07: operations on an agent refuse, and change nothing for, ${name}`, async () => {
      const { headers, lacks } = subjects[name] ?? assert.fail(name);
      const tried = operations.filter((operation) => lacks.includes(powerOf(operation.spec, inputOf(operation))));
      assert.ok(tried.length >= 7, String(tried.length));
      const before = await fingerprintTables(market);
      const wrong: string[] = [];
      for (const operation of tried) {
        const { status, body } = await ask(operation, headers);
        if (status !== 401 && status !== 403) wrong.push(`${operation.name}: ${status} ${JSON.stringify(body)}`);
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(await fingerprintTables(market), before);
    });
  }

  test('V04: a linked account and a session by the earlier text can still read the agent', async () => {
    for (const name of names.slice(-2)) {
      const { headers } = subjects[name] ?? assert.fail(name);
      const route = `GET /api/agents/${agent.id}/orders` as const;
      assert.equal((await call(market.url, route, { headers })).status, 200, name);
    }
  });
});
