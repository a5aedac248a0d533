/** The pages as browsers and other programs get them, from a real server with real data. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, openSession } from '../harness/people.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { createService } from '../harness/services.ts';

describe('the site', () => {
  let market: TestMarket;
  let serviceId: string;
  let agentSlug: string;
  const owner = baseWallet();
  before(async () => {
    market = await openMarket();
    const agent = await registerOwnedAgent(market.url, owner, { name: 'Tallyrook' });
    agentSlug = agent.slug;
    const created = await createService(market.url, agent, { title: 'Reconcile two ledgers', price_usd: '45.00' });
    serviceId = created['id'];
  });
  after(async () => {
    await market.close();
  });

  const open = async (path: string, headers: Record<string, string> = {}) =>
    await fetch(market.url + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
  const textOf = (html: string) =>
    html
      .replace(/<script[\s\S]*?<\/script>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');

  test('the site shows a new service on its page, on browse, on its agent’s page and on the home page, without scripts', async () => {
    const moved = await open(`/services/${serviceId}`);
    assert.equal(moved.status, 302);
    const address = moved.headers.get('location') ?? '';
    assert.match(address, new RegExp(`^/agents/${agentSlug}/`));
    for (const path of [address, '/browse', '/browse?search=ledgers', `/agents/${agentSlug}`, '/']) {
      const page = await open(path);
      assert.equal(page.status, 200, path);
      assert.match(textOf(await page.text()), /Reconcile two ledgers/, path);
    }
    const terms = textOf(await (await open(address)).text());
    assert.match(terms, /You pay 45\.00 USDC to Tallyrook, when you accept 40\.50 to Mercato, 10% fee 4\.50/);
    assert.match(terms, /To Mercato, 10% fee on top 4\.50 Machine pays 49\.50 USDC/);
  });

  test('the site allows only its own resources by CSP, and forbids caching of pages', async () => {
    const page = await open('/');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*|data: ?;.*script/);
    assert.equal(page.headers.get('cache-control'), 'private, no-cache');
    assert.match(page.headers.get('vary') ?? '', /Cookie/);
  });

  test('the site serves files with content hashes in their names, cacheable for ever and compressed', async () => {
    const html = await (await open('/')).text();
    const files = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
    assert.ok(files.length >= 4, html);
    for (const file of new Set(files)) {
      const answer = await sendRaw(market.url, { method: 'GET', path: file, headers: [['Accept-Encoding', 'br']] });
      assert.equal(answer.status, 200, file);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(answer.headers.get('content-encoding'), /\.(js|css)$/.test(file) ? 'br' : null, file);
    }
    assert.equal((await open('/favicon.svg')).headers.get('content-type'), 'image/svg+xml');
    assert.equal((await open('/favicon.ico')).headers.get('content-type'), 'image/vnd.microsoft.icon');
    assert.equal((await open('/previews/site.png')).headers.get('content-type'), 'image/png');
  });

  test('the site serves robots.txt and security.txt at their standard paths', async () => {
    const robots = await open('/robots.txt');
    assert.deepEqual([robots.status, robots.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(await robots.text(), /^User-agent: \*$[\s\S]*^Disallow: \/orders$/m);
    const security = await open('/.well-known/security.txt');
    assert.deepEqual([security.status, security.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    const fields = new Map(
      (await security.text())
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2) as [string, string]),
    );
    assert.match(fields.get('Contact') ?? '', /^(mailto:|https:)/);
    const daysLeft = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
    assert.ok(daysLeft > 30 && daysLeft < 365, `${daysLeft} days`);
    assert.equal(fields.get('Canonical'), `${market.url}/.well-known/security.txt`);
  });

  test('the site serves nothing outside the folder of its files', async () => {
    for (const path of [
      '/assets/../manifest.json',
      '/assets/%2e%2e%2fmanifest.json',
      '/assets/..%2F..%2Fserver%2Fentry-server.js',
      '/assets/.x',
      '/previews/site.svg',
    ]) {
      const answer = await sendRaw(market.url, { method: 'GET', path });
      assert.equal(answer.status, 404, path);
    }
  });

  test('the site compresses pages only for clients that accept it', async () => {
    const get = async (encoding: string) => {
      const response = await fetch(`${market.url}/docs`, { headers: { accept: 'text/html', 'accept-encoding': encoding } });
      return response.headers.get('content-encoding');
    };
    assert.deepEqual(
      [await get('br, gzip'), await get('gzip'), await get('br;q=0, gzip;q=0'), await get('identity')],
      ['br', 'gzip', null, null],
    );
  });

  test('the site answers an unknown path with a 404 page; programs get the envelope', async () => {
    const page = await open('/nowhere/at/all');
    assert.equal(page.status, 404);
    assert.match(await page.text(), /Nothing at this address/);
    assert.equal((await open('/agents/nobody-of-that-name')).status, 404);
    assert.equal((await open('/agents/tallyrook/%E0%A4%A')).status, 400);
    const answer = await call(market.url, 'GET /nowhere', { headers: { accept: 'application/json' } });
    assert.deepEqual([answer.status, answer.body['code']], [404, 'not_found']);
  });

  test('the site renders the signed-in state for a valid session cookie only', async () => {
    const session = await openSession(market.url, owner);
    const known = await (await open('/docs', { cookie: session })).text();
    assert.match(known, new RegExp(`${owner.address.slice(0, 6)}…`));
    assert.match(known, /Your account/);
    const stranger = await (await open('/docs', { cookie: 'market_session=forged' })).text();
    assert.match(stranger, />Sign in</);
  });

  test('the site sends the head of a signed-in page while the session is still being looked up', async () => {
    const cookie = await openSession(market.url, owner);
    for (const encoding of ['identity', 'br', 'gzip']) {
      const blocker = await market.database.pool.connect();
      let page: Response;
      let rest = '';
      try {
        await blocker.query('begin; lock table sessions in access exclusive mode');
        page = await open('/orders', { cookie, 'accept-encoding': encoding });
        const reader = page.body?.pipeThrough(new TextDecoderStream()).getReader();
        while (!rest.includes('<body>')) rest += (await reader?.read())?.value;
        assert.match(rest, /<link rel="stylesheet"/, encoding);
        assert.doesNotMatch(rest, /id="root"/, encoding);
        await blocker.query('rollback');
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) rest += part.value;
      } finally {
        await blocker.query('rollback');
        blocker.release();
      }
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(rest, new RegExp(`${owner.address.slice(0, 6)}…`));
      assert.match(rest, /<\/html>\n$/);
    }
  });

  test('the site renders the theme chosen by cookie and ignores any other value', async () => {
    assert.match(await (await open('/', { cookie: 'theme=dark' })).text(), /<html lang="en" data-theme="dark">/);
    assert.match(await (await open('/', { cookie: 'theme="><script>' })).text(), /<html lang="en">/);
  });

  test('the site renders an error page with a request id when a database query fails', async () => {
    await market.database.pool.query('alter table services rename to services_hidden');
    try {
      // A page that nobody has read yet is not cached.
      const page = await open(`/agents/${agentSlug}/reconcile-three-ledgers`);
      assert.equal(page.status, 500);
      const text = textOf(await page.text());
      assert.match(text, /This page could not be shown/);
      assert.match(text, /Request req_/);
    } finally {
      await market.database.pool.query('alter table services_hidden rename to services');
    }
  });
});
