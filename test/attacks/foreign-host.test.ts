/** A request with a foreign Host header: our addresses come from the settings, never from the request. */
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, test } from 'node:test';
import { operationList } from '@market/contract';
import { routes } from '../../packages/web/src/routes.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { agentBody, agreed, signed, solanaWallet } from '../harness/people.ts';

const FOREIGN = 'foreign-host.example';

let market: TestMarket;
let provider: Provider;
let serviceId: string;
before(async () => {
  // The worst case: the request comes through a trusted proxy.
  market = await openMarket({ ...withChains, TRUSTED_PROXIES: '127.0.0.1' });
  provider = await openProvider(market.url);
  serviceId = await listService(market.url, provider, { price_usd: '5.00' });
});
after(() => market.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `fetch` cannot set Host. */
async function send(
  path: string,
  headers: Record<string, string>,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(new URL(path, market.url), { method, agent: false, headers: { ...type, ...headers } }, async (response) => {
      const content = Buffer.concat(await response.toArray()).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content });
    });
    sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const CLAIMS: readonly Record<string, string>[] = [
  { host: FOREIGN },
  {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': FOREIGN,
    'x-forwarded-proto': 'https',
    'x-forwarded-server': FOREIGN,
    'x-original-host': FOREIGN,
    forwarded: `for=203.0.113.9;host=${FOREIGN};proto=https`,
    origin: `https://${FOREIGN}`,
  },
];

/** Headers and body of an answer, with the x402 and sign-in challenges decoded from base64. */
function toldBy({ headers, body }: Answer): string {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}\n${Buffer.from(one, 'base64').toString('utf8')}`),
  );
  return `${values.join('\n')}\n${body}`;
}

const DOCUMENTS = [
  '/llms.txt',
  '/openapi.json',
  '/api/openapi.json',
  '/.well-known/x402',
  '/.well-known/did.json',
  '/robots.txt',
  '/nowhere',
  '/api/nowhere',
  '/readyz',
];

const challenged = (): string[] => [
  `/api/x402/discover/${serviceId}?x402Version=1`,
  `/api/x402/discover/${serviceId}?chain=base`,
  `/api/x402/discover?service_id=${serviceId}`,
  '/api/auth/whoami?auth=siwx',
];

function readAddresses(): string[] {
  const filled = (path: string) =>
    path
      .replace(/[:{](idOrSlug|agentSlug|id)\}?/g, provider.slug)
      .replace(/[:{](service_id|serviceId)\}?/g, serviceId)
      .replace(/[:{]\w+\}?/g, 'x');
  const reads = operationList
    .filter(({ spec }) => spec.rest.method === 'GET' && spec.output.stream !== true)
    .map(({ spec }) => filled(spec.rest.path));
  return [...new Set([...DOCUMENTS, ...challenged(), ...reads, ...routes.map(({ path }) => filled(path))])];
}

test('X08: a foreign Host or X-Forwarded-Host appears in no page, document, list, link or challenge', async () => {
  let challenges = 0;
  for (const path of readAddresses()) {
    for (const claim of CLAIMS) {
      const answer = await send(path, claim);
      assert.ok(answer.status !== 500, `${path}: ${answer.status}`);
      assert.ok(
        !toldBy(answer).toLowerCase().includes(FOREIGN),
        `GET ${path} with ${JSON.stringify(claim)}:\n${toldBy(answer).slice(0, 2000)}`,
      );
      if (answer.status === 402) challenges += 1;
    }
  }
  assert.ok(challenges >= 4 * CLAIMS.length, `only ${challenges} answers were 402: the test looks at the wrong addresses`);
});

test('X08: challenges, records, sessions and cookies of a POST name our own host only', async () => {
  const wallet = solanaWallet();
  for (const claim of CLAIMS) {
    const { origin: _, ...fromProgram } = claim;
    const answers = [
      await send(`/api/x402/pay?service_id=${serviceId}`, fromProgram, {}),
      await send('/api/orders', fromProgram, { service_id: serviceId, brief: 'Proofread the attached page.' }),
      await send('/api/agents/register?pay=x402', fromProgram, agentBody()),
      await send('/api/agents/register', fromProgram, agentBody()),
      await send('/api/auth/session', fromProgram, await agreed(market.url, wallet, { action: 'session' })),
      await send('/api/auth/challenge', fromProgram, { action: 'session', wallet: wallet.address }),
      await send('/api/auth/session', fromProgram, await signed(wallet)),
    ];
    assert.deepEqual(
      answers.slice(0, 3).map(({ status }) => status),
      [402, 402, 402],
    );
    assert.ok(answers[4]?.headers['set-cookie'] !== undefined, answers[4]?.body);
    for (const answer of answers) assert.ok(!toldBy(answer).toLowerCase().includes(FOREIGN), toldBy(answer).slice(0, 2000));
    for (const cookie of answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])) assert.doesNotMatch(cookie, /domain=/i);
  }
});

test('X08: an answer to a foreign Host is not cached for the next caller', async () => {
  for (const path of [`/api/x402/discover/${serviceId}`, '/llms.txt', '/openapi.json', '/.well-known/x402', '/']) {
    await send(path, CLAIMS[1] ?? {});
    const { status, ...answer } = await send(path, {});
    assert.ok(!toldBy({ status, ...answer }).includes(FOREIGN), path);
    if (path !== '/') assert.ok(answer.body.includes(market.url), `${path} names our own address`);
  }
});
