/** Links that people open later (demos, avatars, references, deliverables, evidence) must not point into a private network. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operationList } from '@market/contract';
import { linkFieldsOf } from '../../packages/server/src/surfaces/refuse-private-links.ts';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { BOUNTY } from '../harness/bounties.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, asHeaders, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createService, serviceBody } from '../harness/services.ts';

const PRIVATE = [
  'http://127.0.0.1/a',
  'http://localhost:8080/a',
  'https://169.254.169.254/latest/meta-data',
  'http://10.1.2.3/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://[::1]/',
  'http://[::ffff:192.168.1.1]/',
  'https://printer.local/',
  'https://metadata.internal./x',
  'http://intranet/',
  'http://user@192.168.0.1/',
  'http://127.0.0.1\t/a',
];
const PUBLIC = ['https://example.com/work', 'http://93.184.215.14/a', 'https://example.com:9000/a#part', 'https://dev.allowed.internal/a'];

interface Door {
  readonly field: string;
  readonly route: `${string} /${string}`;
  readonly body: (url: string) => Record<string, unknown>;
  readonly who?: CallOptions;
  /** Signs each call anew, because its signature works for one call. */
  readonly signer?: TestWallet;
}

let market: TestMarket;
let agent: TestAgent;
let doors: Readonly<Record<string, readonly Door[]>>;

before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: 'dev.allowed.internal' });
  const owner = solanaWallet();
  agent = await registerOwnedAgent(market.url, owner);
  // A launch checks for a linked X account before the picture.
  await market.database.pool.query(`update agents set twitter_username = 'links' where id = $1`, [agent.id]);
  const service = await createService(market.url, agent, { requirement_fields: [{ label: 'Site', type: 'url', required: true }] });
  const byKey = { key: agent.key };
  const buyer = solanaWallet();
  const byWallet = { headers: asHeaders(await signed(buyer)) };
  const byAccount = { key: await tokenFor(market.url, { email: 'links@example.com' }) };
  const order = { service_id: service['id'], brief: 'Read the site and tell me what you think.' };
  const answers = { Site: 'https://example.com' };
  const placed = await expectCall(market.url, 200, 'POST /api/orders', { ...byWallet, body: { ...order, requirement_answers: answers } });
  const orderPath = `/api/orders/${placed['id']}` as const;
  const avatar = (route: Door['route'], who: CallOptions): Door => ({
    field: 'avatar_url',
    route,
    who,
    body: (url) => ({ avatar_url: url }),
  });
  doors = {
    'agents.register': [{ ...avatar('POST /api/agents/register', {}), body: (url) => agentBody({ avatar_url: url }) }],
    'agents.updateMe': [avatar('PATCH /api/agents/me', byKey)],
    'agents.update': [avatar(`PATCH /api/agents/${agent.id}`, byKey)],
    'tokens.register': [
      {
        field: 'token_image_url',
        route: `POST /api/agents/${agent.id}/token`,
        signer: owner,
        body: (url) => ({
          token_mint: owner.address,
          token_name: 'Links',
          token_symbol: 'LINK',
          token_mode: 'byot',
          token_creator_wallet: owner.address,
          token_image_url: url,
        }),
      },
    ],
    'tokens.launch': [
      {
        field: 'image_url',
        route: `POST /api/agents/${agent.id}/token/launch`,
        who: byKey,
        body: (url) => ({ symbol: 'LINK', image_url: url }),
      },
    ],
    'auth.updateUser': [avatar('PATCH /api/auth/user', byAccount)],
    'profiles.update': [avatar('PUT /api/profile', byWallet)],
    'services.create': [
      {
        field: 'demo_url',
        route: `POST /api/agents/${agent.id}/services`,
        who: byKey,
        body: (url) => serviceBody({ title: 'Another careful review', demo_url: url }),
      },
    ],
    'services.update': [
      {
        field: 'demo_url',
        route: `PATCH /api/services/${service['id']}`,
        who: byKey,
        body: (url) => ({ demo_url: url }),
      },
    ],
    'bounties.post': [
      {
        field: 'reference_urls',
        route: 'POST /api/bounties',
        who: byWallet,
        body: (url) => ({ ...BOUNTY, client_wallet: buyer.address, reference_urls: [url] }),
      },
      {
        field: 'reference_images',
        route: 'POST /api/bounties',
        who: byWallet,
        body: (url) => ({ ...BOUNTY, client_wallet: buyer.address, reference_images: [url] }),
      },
    ],
    'orders.place': [
      {
        field: 'reference_urls',
        route: 'POST /api/orders',
        who: byWallet,
        body: (url) => ({ ...order, requirement_answers: answers, reference_urls: ['https://example.com', url] }),
      },
      {
        field: 'reference_images',
        route: 'POST /api/orders',
        who: byWallet,
        body: (url) => ({ ...order, requirement_answers: answers, reference_images: [url] }),
      },
      { field: 'The answer', route: 'POST /api/orders', who: byWallet, body: (url) => ({ ...order, requirement_answers: { Site: url } }) },
    ],
    'orders.deliver': [
      { field: 'deliverable_url', route: `POST ${orderPath}/deliver`, who: byKey, body: (url) => ({ deliverable_url: url }) },
      {
        field: 'deliverables',
        route: `POST ${orderPath}/deliver`,
        who: byKey,
        body: (url) => ({ deliverables: [{ content: 'text' }, { deliverable_url: url }] }),
      },
    ],
    'disputes.state': [
      {
        field: 'evidence_urls',
        route: `POST ${orderPath}/dispute/statements`,
        who: byWallet,
        body: (url) => ({ statement: 'See there.', evidence_urls: [url] }),
      },
    ],
  };
});
after(() => market.close());

const knock = async ({ route, who, signer, body }: Door, url: string) =>
  await call(market.url, route, { ...who, ...(signer && { headers: asHeaders(await signed(signer)) }), body: body(url) });
const isRefused = ({ body }: { body: Envelope }) => /points at a private or reserved address/.test(String(body['error']));

describe('a link in a request', () => {
  test('W01, W02: every operation with a link field is listed in this test', () => {
    const listed = operationList.filter((operation) => linkFieldsOf(operation).size > 0).map(({ name }) => name);
    assert.deepEqual(Object.keys(doors).sort(), listed.sort());
  });

  test('W01, W02: a private address in any spelling is refused in every link field, and the error names the field', async () => {
    for (const door of Object.values(doors).flat()) {
      for (const url of PRIVATE) {
        const reply = await knock(door, url);
        assert.ok(reply.status === 400 && isRefused(reply), `${door.route} ${door.field} ${url}: ${JSON.stringify(reply.body)}`);
        assert.ok(String(reply.body['error']).startsWith(door.field), reply.body['error']);
      }
    }
    const { rows } = await market.database.pool.query('select avatar_url from agents where id = $1', [agent.id]);
    assert.deepEqual(rows, [{ avatar_url: null }], 'nothing changed');
  });

  test('links to a public address, a host allowed in development, and our own uploads are accepted', async () => {
    for (const door of Object.values(doors).flat()) {
      for (const url of [...PUBLIC, `${market.url}/files/upl_1700000000000_k3v9x1q7a`]) {
        const reply = await knock(door, url);
        assert.ok(!isRefused(reply) && reply.status !== 500, `${door.route} ${door.field} ${url}: ${JSON.stringify(reply.body)}`);
      }
    }
  });
});
