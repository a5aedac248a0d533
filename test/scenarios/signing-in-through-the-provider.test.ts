/** Story: a browser app signs a person in by the code flow with PKCE, and the session works at the market's API. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';

let market: TestMarket;
let provider: Record<'issuer' | 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri', string>;
before(async () => {
  market = await openMarket();
  const { body } = await call(market.url, 'GET /sandbox/info');
  const { issuer } = body['data'].idp;
  provider = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as typeof provider;
});
after(() => market.close());

const verifier = randomBytes(32).toString('base64url');
const redirectUri = (): string => `${market.url}/signed-in`;

function authorizeUrl(): URL {
  const url = new URL(provider.authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'site',
    redirect_uri: redirectUri(),
    scope: 'openid profile email',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

/** Submits the sign-in form like a browser, and returns the address of the redirect. */
async function submitForm(person: Record<string, string>): Promise<URL> {
  const page = await (await fetch(authorizeUrl())).text();
  const form = page.slice(page.lastIndexOf('<form'));
  const fields = new URLSearchParams(person);
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields.append(name, value.replaceAll('&amp;', '&'));
  }
  const answer = await fetch(new URL('authorize', `${provider.issuer}/`), { method: 'POST', body: fields, redirect: 'manual' });
  assert.equal(answer.status, 302, await answer.text());
  return new URL(answer.headers.get('location') ?? '');
}

async function exchange(code: string, changes: Record<string, string> = {}): Promise<{ status: number; body: Envelope }> {
  const fields = {
    grant_type: 'authorization_code',
    client_id: 'site',
    redirect_uri: redirectUri(),
    code,
    code_verifier: verifier,
    ...changes,
  };
  const answer = await fetch(provider.token_endpoint, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: answer.status, body: (await answer.json()) as Envelope };
}

async function signIn(person: Record<string, string>): Promise<Envelope> {
  const back = await submitForm(person);
  const { status, body } = await exchange(back.searchParams.get('code') ?? '');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

test('discovery, form, code and token of the identity provider lead to an account at the market', async () => {
  assert.equal(provider.issuer, `${market.url}/sandbox/oidc`);
  const back = await submitForm({ email: 'noa@example.com', name: 'Noa Field', twitter_username: 'noafield' });
  assert.equal(back.origin + back.pathname, redirectUri());
  assert.deepEqual([back.searchParams.get('state'), back.searchParams.get('iss')], ['state-1', provider.issuer]);
  const { body } = await exchange(back.searchParams.get('code') ?? '');
  const signedIn = await call(market.url, 'POST /api/auth/user', { key: body['access_token'] });
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  const { user, is_new } = signedIn.body['data'];
  assert.deepEqual(
    [user.google_email, user.display_name, user.twitter_username, is_new],
    ['noa@example.com', 'Noa Field', 'noafield', true],
  );
});

test('the provider’s access token works as a cookie of our own pages, for reads and changes', async () => {
  const { access_token } = await signIn({ email: 'pia@example.com', name: 'Pia' });
  const headers = { cookie: `idp-token=${access_token}`, origin: market.url, 'sec-fetch-site': 'same-origin' };
  await call(market.url, 'POST /api/auth/user', { headers });
  const changed = await call(market.url, 'PATCH /api/auth/user', { headers, body: { bio: 'Signed in by form.' } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const who = await call(market.url, 'GET /api/auth/whoami', { headers });
  assert.equal(who.body['data'].user.idp_user_id, changed.body['data'].user.idp_user_id);
});

test('a remembered sign-in keeps the token in an HttpOnly cookie until signing out', async () => {
  const { access_token } = await signIn({ email: 'rae@example.com', name: 'Rae' });
  const plain = await call(market.url, 'POST /api/auth/user', { key: access_token });
  assert.equal(plain.headers.get('set-cookie'), null);
  const { headers: answered } = await call(market.url, 'POST /api/auth/user', { key: access_token, body: { remember: true } });
  const [cookie = ''] = answered.getSetCookie();
  assert.match(cookie, /^idp-token=[\w.-]+; Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Lax$/);
  const seconds = Number(/Max-Age=(\d+)/.exec(cookie)?.[1]);
  assert.ok(seconds > 3000 && seconds <= 3600, `${seconds} s, as long as the token is good`);
  const headers = { cookie: cookie.split(';')[0] ?? '', origin: market.url, 'sec-fetch-site': 'same-origin' };
  const who = await call(market.url, 'GET /api/auth/whoami', { headers });
  assert.equal(who.body['data'].user.idp_user_id, plain.body['data'].user.idp_user_id);
  const out = await call(market.url, 'DELETE /api/auth/session', { headers });
  assert.deepEqual(
    out.headers.getSetCookie().map((line) => line.split(';').slice(0, 3).join(';')),
    ['market_session=; Path=/; Max-Age=0', 'idp-token=; Path=/; Max-Age=0'],
  );
});

test('the same person by form and by the sandbox shortcut is one account', async () => {
  const { access_token } = await signIn({ email: 'twice@example.com', name: 'Twice' });
  const byForm = await call(market.url, 'POST /api/auth/user', { key: access_token });
  const shortcut = await call(market.url, 'POST /sandbox/idp/token', { body: { email: 'Twice@Example.com' } });
  const again = await call(market.url, 'POST /api/auth/user', { key: shortcut.body['data'].access_token });
  assert.equal(again.body['data'].is_new, false);
  assert.equal(again.body['data'].user.idp_user_id, byForm.body['data'].user.idp_user_id);
});

test('an ID token is refused by the market: 401', async () => {
  const { id_token } = await signIn({ email: 'idtoken@example.com' });
  assert.equal((await call(market.url, 'POST /api/auth/user', { key: id_token })).status, 401);
});

test('a sign-in code works once, and only with its own verifier, client and redirect address', async () => {
  const wrong: Record<string, string>[] = [
    { code_verifier: randomBytes(32).toString('base64url') },
    { client_id: 'another-app' },
    { redirect_uri: `${market.url}/elsewhere` },
  ];
  for (const changes of wrong) {
    const code = (await submitForm({ email: 'pkce@example.com' })).searchParams.get('code') ?? '';
    const refused = await exchange(code, changes);
    assert.deepEqual([refused.status, refused.body['error']], [400, 'invalid_grant'], JSON.stringify(changes));
  }
  const code = (await submitForm({ email: 'pkce@example.com' })).searchParams.get('code') ?? '';
  assert.equal((await exchange(code)).status, 200);
  assert.equal((await exchange(code)).status, 400);
});

test('a sign-in redirect to a foreign site is refused', async () => {
  const url = authorizeUrl();
  url.searchParams.set('redirect_uri', 'https://evil.example/callback');
  const answer = await fetch(url, { redirect: 'manual' });
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.get('location'), null);
});

test('an admin sign-in is an admin at the market, an ordinary one is not', async () => {
  const isAdmin = async (person: Record<string, string>): Promise<boolean> => {
    const { access_token } = await signIn(person);
    return (await call(market.url, 'GET /api/auth/whoami', { key: access_token })).body['data'].user.admin;
  };
  assert.equal(await isAdmin({ email: 'root@example.com', admin: 'yes' }), true);
  assert.equal(await isAdmin({ email: 'root@example.com' }), false);
});
