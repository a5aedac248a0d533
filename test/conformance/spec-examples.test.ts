/**
 * Every call that the specification writes down, sent as it is written: its paths, fields, headers and values, with nothing added. Only
 * identifiers, keys, hashes and addresses are real ones. The specification has no code blocks; a row is one call of one of its sections.
 */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { TestAgent } from '../harness/agents.ts';
import { png, upload } from '../harness/files.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, openBuyer } from '../harness/orders.ts';
import { signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';

/** What earlier calls of the walk have brought. */
interface Walk {
  readonly market: TestMarket;
  readonly url: string;
  readonly receiver: Receiver;
  readonly token: string;
  readonly owner: TestWallet;
  readonly buyers: { readonly base: Buyer; readonly solana: Buyer; readonly alt: Buyer };
  agent: Pick<TestAgent, 'id' | 'key'>;
  services: { fixed: string; quote: string; weekly: string };
  orders: { plain: string; quoted: string; revised: string; disputed: string; cancelled: string; workspace: string };
  uploaded: string;
}

type Route = `${string} /${string}`;
interface Row {
  readonly section: string;
  /** As the specification writes it. */
  readonly written: string;
  readonly status?: number;
  readonly send: (walk: Walk) => Promise<Reply>;
  readonly keep?: (walk: Walk, answer: Envelope) => void;
}

const json =
  (route: (walk: Walk) => Route, body: (walk: Walk) => unknown, who: 'agent' | 'nobody' = 'nobody') =>
  async (walk: Walk) =>
    await call(walk.url, route(walk), { body: await body(walk), ...(who === 'agent' && { key: walk.agent.key }) });
const get =
  (route: (walk: Walk) => Route, who: 'agent' | 'nobody' = 'nobody') =>
  async (walk: Walk) =>
    await call(walk.url, route(walk), who === 'agent' ? { key: walk.agent.key } : {});

/** As the buyer of the walk signs: three fields in the body. */
const asBuyer = async ({ buyers }: Walk): Promise<Record<string, unknown>> => ({ ...(await signed(buyers.base)) });
const step = (order: keyof Walk['orders'], body: Record<string, unknown>) => async (walk: Walk) =>
  await call(walk.url, `PATCH /api/orders/${walk.orders[order]}`, { body: { ...body, ...(await asBuyer(walk)) } });
const place = (service: keyof Walk['services']) => async (walk: Walk) =>
  await call(walk.url, 'POST /api/orders', {
    body: { service_id: walk.services[service], brief: 'A logo for a bakery.', ...(await asBuyer(walk)) },
  });
const payFor = (order: keyof Walk['orders']) => async (walk: Walk) => {
  const read = await call(walk.url, `GET /api/orders/${walk.orders[order]}${asQuery(await asBuyer(walk))}`);
  const option = read.body['data'].payment_options.find(({ network }: Envelope) => network === 'base-mainnet');
  const hash = await walk.buyers.base.payer.pay(option.pay_to, BigInt(option.amount_micros));
  return await step(order, { action: 'pay', escrow_tx_hash: hash })(walk);
};
const deliverTo = (order: keyof Walk['orders']) =>
  json(
    (walk) => `POST /api/orders/${walk.orders[order]}/deliver`,
    ({ uploaded }) => ({ deliverable_url: uploaded, deliverable_media_type: 'image' }),
    'agent',
  );
const kept =
  (order: keyof Walk['orders']) =>
  (walk: Walk, { order_id: id }: Envelope): void => {
    walk.orders[order] = id;
  };

/** Pays what the challenge says by an ordinary transfer, and gives the reference. */
const transferOn = async ({ url, services, buyers }: Walk, chain: keyof Walk['buyers']): Promise<string> => {
  const { body } = await call(url, `GET /api/x402/pay?service_id=${services.fixed}&chain=${chain}`);
  return await buyers[chain].payer.pay(body['payTo'], BigInt(body['maxAmountRequired']));
};
const proofOf = async (walk: Walk, chain: keyof Walk['buyers'], more: Record<string, string> = {}): Promise<Record<string, string>> => {
  const { wallet, wallet_sig, wallet_sig_ts } = await signed(walk.buyers[chain]);
  const shown = { 'x-market-wallet': wallet, 'x-market-wallet-sig': wallet_sig, 'x-market-wallet-sig-ts': String(wallet_sig_ts) };
  return { 'x-payment': await transferOn(walk, chain), ...shown, ...more };
};

const agents: readonly Row[] = [
  {
    section: 'Identity and agents',
    written: 'POST /api/auth/user with an identity-provider token, no body needed',
    send: ({ url, token }) => call(url, 'POST /api/auth/user', { headers: { authorization: `Bearer ${token}` } }),
  },
  {
    section: 'Authentication',
    written: 'POST /api/auth/user { idp_access_token }',
    send: json(
      () => 'POST /api/auth/user',
      ({ token }) => ({ idp_access_token: token }),
    ),
  },
  {
    section: 'Identity and agents',
    written: 'POST /api/agents/register { name, description }, bare',
    status: 201,
    send: json(
      () => 'POST /api/agents/register',
      () => ({ name: 'Bare agent', description: 'Registers without an owner.' }),
    ),
  },
  {
    section: 'Identity and agents',
    written:
      'POST /api/agents/register { name, description, capabilities, endpoint_url, avatar_url, ai_models, owner_wallet, wallet, wallet_sig, wallet_sig_ts }',
    status: 201,
    send: json(
      () => 'POST /api/agents/register',
      async ({ owner, receiver }) => ({
        name: "O'Neill-Bot 2.0_x",
        description: 'Draws logos for bakeries, two colours at most.',
        capabilities: ['image_gen', 'custom'],
        endpoint_url: receiver.url,
        avatar_url: 'https://example.com/avatar.png',
        ai_models: ['model-a'],
        owner_wallet: owner.address,
        ...(await signed(owner)),
      }),
    ),
    keep: (walk, { agent_id: id, api_key: key }) => {
      walk.agent = { id, key };
    },
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/agents/register?pay=x402',
    status: 402,
    send: json(
      () => 'POST /api/agents/register?pay=x402',
      () => ({ name: 'Paying agent', description: 'Registers by paying.' }),
    ),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/agents/register { pay_to_register: true }, then X-PAYMENT',
    status: 201,
    send: async ({ url, buyers }) => {
      const body = { name: 'Paying agent', description: 'Registers by paying.', pay_to_register: true };
      const asked = await call(url, 'POST /api/agents/register', { body });
      assert.equal(asked.status, 402, JSON.stringify(asked.body));
      const payer = asked.body['network'] === 'solana-mainnet' ? buyers.solana : buyers.base;
      const reference = await payer.payer.pay(asked.body['payTo'], BigInt(asked.body['maxAmountRequired']));
      const { wallet, wallet_sig, wallet_sig_ts } = await signed(payer);
      return await call(url, 'POST /api/agents/register', {
        headers: { 'x-payment': reference },
        body: { ...body, wallet, wallet_sig, wallet_sig_ts },
      });
    },
  },
  { section: 'Identity and agents', written: 'GET /api/agents', send: get(() => 'GET /api/agents') },
  {
    section: 'Identity and agents',
    written: 'GET /api/agents?wallet=…&wallet_sig=…&wallet_sig_ts=…',
    send: async ({ url, owner }) => await call(url, `GET /api/agents${asQuery(await signed(owner))}`),
  },
  { section: 'Identity and agents', written: 'GET /api/agents/me', send: get(() => 'GET /api/agents/me', 'agent') },
  {
    section: 'Identity and agents',
    written: 'PATCH /api/agents/me { endpoint_url }',
    send: json(
      () => 'PATCH /api/agents/me',
      ({ receiver }) => ({ endpoint_url: receiver.url }),
      'agent',
    ),
  },
  {
    section: 'Identity and agents',
    written: 'POST /api/agents/recover with a wallet signature',
    send: json(
      () => 'POST /api/agents/recover',
      async ({ owner }) => ({ ...(await signed(owner)) }),
    ),
  },
  ...(['fixed', 'quote', 'weekly'] as const).map(
    (kind): Row => ({
      section: 'Services',
      written: `POST /api/agents/{id}/services, ${kind}`,
      status: 201,
      send: json(
        ({ agent }) => `POST /api/agents/${agent.id}/services`,
        () => ({
          category: 'image_gen',
          title: `A logo for a bakery, ${kind}`,
          description: 'Two colours, three drafts, one file that prints.',
          price_type: kind,
          price_usd: kind === 'quote' ? '0' : '5.00',
        }),
        'agent',
      ),
      keep: (walk, { service_id: id }) => {
        walk.services[kind] = id;
      },
    }),
  ),
  {
    section: 'Orders',
    written: 'POST /api/upload',
    send: ({ url, agent }) => upload(url, agent.key, { content: png(4, 4), name: 'logo.png', type: 'image/png' }),
    keep: (walk, { url }) => {
      walk.uploaded = url;
    },
  },
];

const orders: readonly Row[] = [
  {
    section: 'Orders',
    written: 'POST /api/orders { service_id, brief, wallet, wallet_sig, wallet_sig_ts }',
    send: place('fixed'),
    keep: kept('plain'),
  },
  {
    section: 'Orders',
    written: 'GET /api/orders/{id}',
    send: async (walk) => await call(walk.url, `GET /api/orders/${walk.orders.plain}${asQuery(await asBuyer(walk))}`),
  },
  { section: 'Orders', written: 'PATCH /api/orders/{id} { action: pay, escrow_tx_hash }', send: payFor('plain') },
  {
    section: 'Orders',
    written: 'POST /api/orders/{id}/messages',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.plain}/messages`, {
        body: { content: 'Two colours, please.', ...(await asBuyer(walk)) },
      }),
  },
  { section: 'Orders', written: 'POST /api/orders/{id}/deliver, a single deliverable from an upload', send: deliverTo('plain') },
  { section: 'Orders', written: 'PATCH /api/orders/{id} { action: approve }', send: step('plain', { action: 'approve' }) },
  {
    section: 'What the service does',
    written: 'a review of 1 to 5 stars after completion',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.plain}/review`, { body: { rating: 5, ...(await asBuyer(walk)) } }),
  },
  { section: 'Orders', written: 'POST /api/orders for a service that is quoted', send: place('quote'), keep: kept('quoted') },
  {
    section: 'States and transitions',
    written: 'POST /api/orders/{id}/quote by the provider agent',
    send: json(
      ({ orders: { quoted } }) => `POST /api/orders/${quoted}/quote`,
      () => ({ price_usd: 12.5 }),
      'agent',
    ),
  },
  { section: 'States and transitions', written: 'quoted, PATCH action=cancel', send: step('quoted', { action: 'cancel' }) },
  { section: 'Orders', written: 'POST /api/orders, to be revised', send: place('fixed'), keep: kept('revised') },
  { section: 'Orders', written: 'PATCH action=pay, to be revised', send: payFor('revised') },
  {
    section: 'Orders',
    written: 'POST /api/orders/{id}/deliver, an array of deliverables',
    send: json(
      ({ orders: { revised } }) => `POST /api/orders/${revised}/deliver`,
      ({ uploaded }) => ({
        deliverables: [
          { deliverable_url: uploaded, deliverable_media_type: 'image' },
          { deliverable_url: 'https://example.com/notes', deliverable_media_type: 'link' },
        ],
      }),
      'agent',
    ),
  },
  {
    section: 'Orders',
    written: 'PATCH { action: revision } with feedback',
    send: step('revised', { action: 'revision', feedback: 'Two colours only, please.' }),
  },
  { section: 'Orders', written: 'POST /api/orders, to be disputed', send: place('fixed'), keep: kept('disputed') },
  { section: 'Orders', written: 'PATCH action=pay, to be disputed', send: payFor('disputed') },
  { section: 'Orders', written: 'POST deliver, to be disputed', send: deliverTo('disputed') },
  {
    section: 'Orders',
    written: 'PATCH { action: dispute } with a reason',
    send: step('disputed', { action: 'dispute', reason: 'It is not a logo at all.' }),
  },
  { section: 'Orders', written: 'POST /api/orders, to be cancelled', send: place('fixed'), keep: kept('cancelled') },
  { section: 'Orders', written: 'PATCH action=pay, to be cancelled', send: payFor('cancelled') },
  { section: 'States and transitions', written: 'paid, PATCH action=cancel, refunded', send: step('cancelled', { action: 'cancel' }) },
  { section: 'What the service does', written: 'POST /api/orders for a weekly service', send: place('weekly'), keep: kept('workspace') },
  { section: 'What the service does', written: 'PATCH action=pay opens a workspace', send: payFor('workspace') },
  {
    section: 'Orders',
    written: 'POST /api/orders/{id}/generate',
    send: async (walk) =>
      await call(walk.url, `POST /api/orders/${walk.orders.workspace}/generate`, {
        body: { prompt: 'A croissant.', ...(await asBuyer(walk)) },
      }),
  },
  {
    section: 'Orders',
    written: 'GET /api/agents/{id}/orders, by a comma-separated list of statuses',
    send: get(({ agent }) => `GET /api/agents/${agent.id}/orders?status=paid,delivered`, 'agent'),
  },
];

const machines: readonly Row[] = [
  { section: 'x402 flow and endpoints', written: 'GET /api/x402/services', send: get(() => 'GET /api/x402/services') },
  {
    section: 'x402 flow and endpoints',
    written: 'GET /api/x402/discover?service_id=<id>',
    status: 402,
    send: get(({ services }) => `GET /api/x402/discover?service_id=${services.fixed}`),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'GET /api/x402/discover/{service_id}',
    status: 402,
    send: get(({ services }) => `GET /api/x402/discover/${services.fixed}`),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/x402/pay?service_id=<id>, X-PAYMENT, body { brief }',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'base'),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/x402/pay with a Solana signature, the network inferred',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'solana'),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/x402/pay with X-Payment-Network: alt-mainnet',
    send: async (walk) =>
      await call(walk.url, `POST /api/x402/pay?service_id=${walk.services.fixed}`, {
        headers: await proofOf(walk, 'alt', { 'x-payment-network': 'alt-mainnet' }),
        body: { brief: 'A logo.' },
      }),
  },
  {
    section: 'x402 flow and endpoints',
    written: 'POST /api/orders with X-PAYMENT and body { service_id, brief }',
    send: async (walk) =>
      await call(walk.url, 'POST /api/orders', {
        headers: await proofOf(walk, 'base'),
        body: { service_id: walk.services.fixed, brief: 'A logo for a bakery.' },
      }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'GET /api/x402/discover/{service_id} with a JSON body { brief }, paid',
    send: async (walk) =>
      await getWithBody(walk.url, `/api/x402/discover/${walk.services.fixed}`, await proofOf(walk, 'base'), { brief: 'A logo.' }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'the brief as a query parameter, paid',
    send: async (walk) =>
      await call(walk.url, `GET /api/x402/discover/${walk.services.fixed}?brief=A%20logo.`, { headers: await proofOf(walk, 'base') }),
  },
  {
    section: 'x402 per-service discovery',
    written: 'the brief as X-Market-Brief, paid',
    send: async (walk) =>
      await call(walk.url, `GET /api/x402/discover/${walk.services.fixed}`, {
        headers: await proofOf(walk, 'base', { 'x-market-brief': 'A logo.' }),
      }),
  },
  { section: 'x402 flow and endpoints', written: 'GET /api/x402/trending', send: get(() => 'GET /api/x402/trending') },
  { section: 'x402 flow and endpoints', written: 'GET /api/x402/directory', send: get(() => 'GET /api/x402/directory') },
  { section: 'x402 flow and endpoints', written: 'GET /.well-known/x402', send: get(() => 'GET /.well-known/x402') },
  { section: 'x402 flow and endpoints', written: 'GET /openapi.json', send: get(() => 'GET /openapi.json') },
  {
    section: 'Other endpoint groups',
    written: 'PUT /api/profile',
    send: ({ url, token }) =>
      call(url, 'PUT /api/profile', { headers: { authorization: `Bearer ${token}` }, body: { bio: 'Buys logos.' } }),
  },
];

/** Calls of features that later steps build. A step that builds one takes it out of this list and adds its row above. */
const notYetBuilt: readonly { readonly section: string; readonly route: Route }[] = [
  { section: 'Identity and agents', route: 'GET /api/agents/{id}/funding' },
  { section: 'Identity and agents', route: 'POST /api/agents/{id}/token/launch' },
  { section: 'Identity and agents', route: 'POST /api/agents/{id}/token' },
  { section: 'Identity and agents', route: 'POST /api/agents/{id}/said' },
  { section: 'Bounties', route: 'POST /api/bounties' },
  { section: 'Bounties', route: 'POST /api/bounties/{id}/claim' },
  { section: 'Bounties', route: 'GET /api/bounties/{id}?include_claims=1' },
  { section: 'Bounties', route: 'GET /api/bounties/my' },
  { section: 'Bounties', route: 'POST /api/bounties/{id}/accept' },
  { section: 'Earn (yield deposits)', route: 'POST /api/earn/pool/deposit' },
  { section: 'Earn (yield deposits)', route: 'GET /api/earn/pool/positions' },
  { section: 'Earn (yield deposits)', route: 'GET /api/earn/pool/markets' },
  { section: 'Earn (yield deposits)', route: 'GET /api/earn/pool/pools' },
  { section: 'Earn (yield deposits)', route: 'POST /api/earn/pool/withdraw' },
  { section: 'Other endpoint groups', route: 'POST /api/market' },
  { section: 'MCP surfaces', route: 'POST /mcp' },
  { section: 'MCP surfaces', route: 'POST /api/x402/mcp' },
];

describe('the specification’s calls, sent as they are written', () => {
  let walk: Walk;
  before(async () => {
    // The agent's own server: it answers requests of a workspace, and webhooks with the same words.
    const receiver = await openReceiver((response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ deliverable_url: 'https://example.com/croissant.png', deliverable_media_type: 'image' }));
    });
    const market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
    const [base, solana, alt] = await Promise.all([
      openBuyer(market, 'base-mainnet', 200_000_000n),
      openBuyer(market, 'solana-mainnet', 200_000_000n),
      openBuyer(market, 'alt-mainnet', 200_000_000n),
    ]);
    walk = {
      market,
      url: market.url,
      receiver,
      token: await tokenFor(market.url, { email: 'otto@example.com', name: 'Otto' }),
      owner: solanaWallet(),
      buyers: { base, solana, alt },
      agent: { id: '', key: '' },
      services: { fixed: '', quote: '', weekly: '' },
      orders: { plain: '', quoted: '', revised: '', disputed: '', cancelled: '', workspace: '' },
      uploaded: '',
    };
  });
  after(async () => {
    await walk.market.close();
    await walk.receiver.close();
  });

  for (const { section, written, status = 200, send, keep } of [...agents, ...orders, ...machines]) {
    test(`${section}: ${written}`, async () => {
      const reply = await send(walk);
      assert.equal(reply.status, status, JSON.stringify(reply.body));
      keep?.(walk, reply.body['data']);
    });
  }

  for (const { section, route } of notYetBuilt) {
    test(`${section}: ${route} is not built yet, and says so`, async () => {
      const reply = await call(walk.url, route.replace('{id}', walk.agent.id) as Route, { key: walk.agent.key });
      assert.ok(
        [404, 405].includes(reply.status),
        `${reply.status}: it is built now. Take it out of the list and send it as it is written.`,
      );
    });
  }
});

/** `fetch` cannot send a body with GET. */
async function getWithBody(url: string, path: string, headers: Record<string, string>, body: unknown): Promise<Reply> {
  const text = JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
    const sent = request(new URL(path, url), { method: 'GET', headers: all, agent: false }, (response) => {
      response
        .toArray()
        .then(
          (chunks) =>
            resolve({ status: response.statusCode ?? 0, headers: new Headers(), body: JSON.parse(Buffer.concat(chunks).toString()) }),
          reject,
        );
    });
    sent.once('error', reject).end(text);
  });
}
