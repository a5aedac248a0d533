// For tests: an app and its browser, with a provider mounted on a real HTTP server.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { createDevelopmentIdentityProvider, type DevelopmentIdentityProvider } from './provider.ts';

export const APP = 'http://app.test:5173';
const CALLBACK = `${APP}/callback?from=idp`;
export const AUDIENCE = 'https://market.test';

const clock = { nowMs: Date.now() };
let folder: string;
let issuer: string;
let provider: DevelopmentIdentityProvider;

const server = createServer(async (request, response) => {
  request.url = request.url?.replace('/sandbox/idp', '');
  await provider.handle(request, response);
});

export interface TestApp {
  readonly issuer: string;
  readonly provider: DevelopmentIdentityProvider;
  readonly clock: { nowMs: number };
}

export async function startTestApp(): Promise<TestApp> {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-idp-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sandbox/idp`;
  provider = await startProvider();
  return { issuer, provider, clock };
}

export async function stopTestApp(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
}

/** Starts the provider; a second call gives the provider after a restart. */
export function startProvider(): Promise<DevelopmentIdentityProvider> {
  return createDevelopmentIdentityProvider({
    issuer,
    audience: AUDIENCE,
    keyFile: join(folder, 'keys', 'idp.json'),
    allowedRedirectOrigins: [APP, 'https://site.test'],
    now: () => new Date(clock.nowMs),
    serviceName: 'Mercato <test>',
  });
}

interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function authorizeUrl(changes: Record<string, string | undefined> = {}, pkce = createPkce()): URL {
  const url = new URL(`${issuer}/authorize`);
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: 'site',
    redirect_uri: CALLBACK,
    scope: 'openid email offline_access',
    state: 'st4te & more',
    nonce: 'n0nce',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

export function get(url: URL | string): Promise<Response> {
  return fetch(url, { redirect: 'manual' });
}

export function post(
  path: string,
  fields: Record<string, string> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', headers });
}

/** The fields of the sign-in form, read from the page as by a browser. */
export async function readFormFields(url: URL): Promise<URLSearchParams> {
  const page = await get(url);
  const html = await page.text();
  assert.equal(page.status, 200, html);
  const form = html.slice(html.indexOf('class="panel"'));
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields.append(
      name,
      value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
  }
  return fields;
}

export async function signInForCode(
  pkce: Pkce,
  person: Record<string, string> = { email: 'Ada@Example.com', name: 'Ada' },
): Promise<string> {
  const fields = await readFormFields(authorizeUrl({}, pkce));
  for (const [name, value] of Object.entries(person)) fields.set(name, value);
  const answer = await post('/authorize', fields);
  assert.equal(answer.status, 302, await answer.text());
  const location = new URL(answer.headers.get('location') ?? '');
  assert.equal(location.origin + location.pathname, `${APP}/callback`);
  assert.equal(location.searchParams.get('from'), 'idp');
  assert.equal(location.searchParams.get('state'), 'st4te & more');
  return location.searchParams.get('code') ?? '';
}

export function exchange(code: string, pkce: Pkce, changes: Record<string, string> = {}): Promise<Response> {
  return post('/token', {
    grant_type: 'authorization_code',
    client_id: 'site',
    redirect_uri: CALLBACK,
    code,
    code_verifier: pkce.verifier,
    ...changes,
  });
}

export async function readError(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error: string; error_description: string };
  assert.ok(body.error_description.length > 10);
  return `${answer.status} ${body.error}`;
}

/** Verifies a token as a service would: with the published discovery document and keys only. */
export async function verify(token: string, audience: string): Promise<JWTPayload> {
  const discovery = (await (await get(`${issuer}/.well-known/openid-configuration`)).json()) as { issuer: string; jwks_uri: string };
  const keys = createRemoteJWKSet(new URL(discovery.jwks_uri));
  const { payload } = await jwtVerify(token, keys, {
    issuer: discovery.issuer,
    audience,
    currentDate: new Date(clock.nowMs),
    algorithms: ['ES256'],
  });
  return payload;
}
