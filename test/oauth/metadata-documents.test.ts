/** Programs described by a document at their own address instead of a registration. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSecretBox } from '../../packages/server/src/platform/secrets/secret-box.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createAuthorizationServer } from '../../packages/server/src/surfaces/oauth/authorization-server.ts';
import { MASTER_KEY, openMarket, type TestMarket } from '../harness/market.ts';
import { authorizePath, newPkce, REDIRECT } from '../harness/oauth.ts';

const ADDRESS = 'https://assistant.example/program.json';
const good = { client_id: ADDRESS, client_name: 'Desk Assistant', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };

describe('metadata documents', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
  });
  after(() => market.close());

  /** Without a document the address does not answer. */
  function openServer(asked: string[], status: number, document?: unknown) {
    return createAuthorizationServer({
      context: {
        database: market.database,
        secrets: createSecretBox({ current: Buffer.from(MASTER_KEY, 'hex'), previous: [] }),
        serviceName: 'Market',
      } as never,
      appUrl: market.url,
      log: createLogger({ level: 'silent', pretty: false }),
      outbound: {
        get: async (url: string) => {
          asked.push(url);
          if (document === undefined) return { ok: false, message: 'The connection was refused.' };
          const body = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
          return { ok: true, status, headers: { 'content-type': 'application/json' }, body, durationMs: 1 };
        },
      } as never,
    });
  }

  /** The answer of the authorization endpoint for this document. */
  async function authorizeWith(
    status: number,
    document: unknown,
  ): Promise<{ status: number; location: string; cookie: string; asked: string[] }> {
    const asked: string[] = [];
    const server = openServer(asked, status, document);
    const url = authorizePath({ clientId: ADDRESS, challenge: newPkce().challenge });
    const answer = await server.handle({ method: 'GET', url, headers: {} });
    const cookie = [answer.headers['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0]);
    return { status: answer.status, location: String(answer.headers['location'] ?? ''), cookie: cookie.join('; '), asked };
  }

  test('a program with a metadata document reaches consent without a registration', async () => {
    const { status, location, asked } = await authorizeWith(200, good);
    assert.equal(status, 303);
    assert.match(location, /^\/oauth\/consent\//);
    assert.deepEqual(asked, [ADDRESS]);
    assert.equal((await market.database.pool.query('select 1 from oauth_clients')).rowCount, 0);
  });

  test('consent uses the metadata of the request, even if the client’s document is gone', async () => {
    const { location, cookie } = await authorizeWith(200, { ...good, client_uri: 'https://assistant.example/about' });
    const asked: string[] = [];
    const consent = await openServer(asked, 200).findConsent(location.split('/').at(-1) ?? '', cookie);
    assert.deepEqual(consent?.program, { clientId: ADDRESS, name: 'Desk Assistant', page: 'https://assistant.example/about' });
    assert.deepEqual(asked, []);
  });

  test('O01, O06: a metadata document of another program, with other addresses, a secret or malformed is refused', async () => {
    const bad: [number, unknown][] = [
      [200, { ...good, client_id: 'https://evil.example/program.json' }],
      [200, { ...good, redirect_uris: ['https://evil.example/callback'] }],
      [200, { ...good, redirect_uris: [REDIRECT, 'http://evil.example/callback'] }],
      [200, { ...good, redirect_uris: [REDIRECT, 'javascript:alert(1)'] }],
      [200, { ...good, client_secret: 'shared' }],
      [200, { ...good, token_endpoint_auth_method: 'client_secret_post' }],
      [200, { ...good, client_name: 'x'.repeat(20_000) }],
      [200, [good]],
      [200, 'no json'],
      [302, good],
      [404, good],
    ];
    for (const [at, document] of bad) {
      const { status, location } = await authorizeWith(at, document);
      assert.deepEqual([status, location], [400, ''], JSON.stringify(document).slice(0, 120));
    }
  });
});
