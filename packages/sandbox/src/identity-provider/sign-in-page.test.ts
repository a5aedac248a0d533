import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { APP, authorizeUrl, createPkce, get, post, readFormFields, startTestApp, stopTestApp, type TestApp } from './test-app.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(stopTestApp);

test('a sign-in request with a foreign or malformed redirect address gets a page and no redirect', async () => {
  const foreign = [
    'https://evil.test/callback',
    'http://app.test:5174/callback',
    'https://app.test:5173/callback',
    'https://site.test.evil.test/callback',
    'https://site.test:8443/callback',
    'http://app.test:5173@evil.test/callback',
    'http://user@app.test:5173/callback',
    `${APP}/callback#fragment`,
    'javascript:alert(1)',
    '//app.test:5173/callback',
    '/callback',
    `${APP}/${'x'.repeat(2_000)}`,
    undefined,
  ];
  for (const redirectUri of foreign) {
    const answer = await get(authorizeUrl({ redirect_uri: redirectUri }));
    assert.equal(answer.status, 400, redirectUri);
    assert.equal(answer.headers.get('location'), null);
    assert.match(answer.headers.get('content-security-policy') ?? '', /form-action 'none'/);
  }
  assert.equal((await get(authorizeUrl({ client_id: undefined }))).status, 400);
});

test('an invalid sign-in request with a valid redirect address returns to the app with an OAuth error and the state', async () => {
  const wrong: [Record<string, string | undefined>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'email' }, 'invalid_scope'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ request_uri: 'https://app.test/request' }, 'invalid_request'],
    [{ nonce: 'x'.repeat(301) }, 'invalid_request'],
  ];
  for (const [changes, error] of wrong) {
    const answer = await get(authorizeUrl(changes));
    const location = new URL(answer.headers.get('location') ?? '');
    assert.equal(location.origin, APP);
    assert.deepEqual([location.searchParams.get('error'), location.searchParams.get('state')], [error, 'st4te & more']);
    assert.equal(location.searchParams.get('code'), null);
  }
});

test('a sign-in form is accepted only unchanged, in time, with its own token and from its own page', async () => {
  const url = authorizeUrl();
  const attempts: [string, (fields: URLSearchParams) => void, Record<string, string>?][] = [
    ['no token', (fields) => fields.delete('form_token')],
    ['invented token', (fields) => fields.set('form_token', '9999999999.AAAA')],
    ['later expiry', (fields) => fields.set('form_token', (fields.get('form_token') ?? '').replace(/^\d+/, '9999999999'))],
    ['other state', (fields) => fields.set('state', 'other')],
    ['other redirect on the same site', (fields) => fields.set('redirect_uri', `${APP}/other`)],
    ['other challenge', (fields) => fields.set('code_challenge', createPkce().challenge)],
    ['foreign redirect', (fields) => fields.set('redirect_uri', 'https://evil.test/')],
    ['unsupported response type', (fields) => fields.set('response_type', 'token')],
    ['unknown demo person', (fields) => fields.set('person', 'nobody')],
    ['from another site', () => {}, { 'sec-fetch-site': 'cross-site' }],
    ['half an hour late', () => (app.clock.nowMs += 1_800_000)],
  ];
  for (const [title, change, headers] of attempts) {
    const fields = await readFormFields(url);
    fields.set('email', 'ada@example.com');
    change(fields);
    const answer = await post('/authorize', fields, headers);
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], title);
  }
});

test('a sign-in form with an invalid field is shown again with the reason beside the field', async () => {
  const fields = await readFormFields(authorizeUrl());
  fields.set('email', 'not an address');
  fields.set('name', 'Ada');
  const answer = await post('/authorize', fields);
  const html = await answer.text();
  assert.equal(answer.status, 400);
  assert.match(html, /value="not an address"[^>]*aria-invalid="true" aria-describedby="email-wrong"/);
  assert.match(html, /id="email-wrong" role="alert">This is not an e-mail address/);
  assert.match(html, /value="Ada"/);
});

test('the sign-in page shows markup in parameters and fields as text, and may load and run nothing', async () => {
  const attack = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>";
  const url = authorizeUrl({ state: attack, nonce: attack, client_id: attack, redirect_uri: `${APP}/${encodeURIComponent(attack)}` });
  const fields = await readFormFields(url);
  assert.deepEqual([fields.get('state'), fields.get('nonce'), fields.get('client_id')], [attack, attack, attack]);
  const shown = await get(url);
  fields.set('email', attack);
  fields.set('name', attack);
  fields.set('twitter_username', attack);
  const again = await post('/authorize', fields);
  const refused = await get(authorizeUrl({ client_id: `é${attack}`, redirect_uri: attack }));
  for (const page of [shown, again, refused]) {
    const html = await page.text();
    assert.doesNotMatch(html, /<script|<img|onerror='|<test>/);
    assert.match(html, /Mercato &lt;test&gt;/);
    const policy = page.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}'; form-action `), policy);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
  }
  assert.match(shown.headers.get('content-security-policy') ?? '', /form-action 'self' http:\/\/app\.test:5173;/);
});
