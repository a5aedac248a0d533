/** A program that connects through OAuth, and the browser of the person who decides. Plain HTTP, so that the wire format is tested. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { asQuery, call, type Envelope, type Reply } from './http.ts';

export const REDIRECT = 'https://assistant.example/callback';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export async function registerProgram(url: string, more: Record<string, unknown> = {}): Promise<string> {
  const body = { client_name: 'Desk Assistant', redirect_uris: [REDIRECT], ...more };
  const reply = await call(url, 'POST /api/oauth/register', { body });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return String(reply.body['client_id']);
}

type Jar = Map<string, { readonly value: string; readonly path: string }>;

/** Keeps cookies by name and path, as a browser does. */
export class Browser {
  private readonly jar: Jar;
  private readonly url: string;

  constructor(url: string, signedIn: Readonly<Record<string, string>> = {}, jar: Jar = new Map()) {
    this.url = url;
    this.jar = jar;
    for (const [name, value] of Object.entries(signedIn)) this.jar.set(`${name} /`, { value, path: '/' });
  }

  /** The same browser, whose next request goes to another process behind the one address. */
  at(url: string): Browser {
    return new Browser(url, {}, this.jar);
  }

  async send(
    route: `${string} /${string}`,
    options: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const cookie = this.cookiesOf(route.split(' ')[1]?.split('?')[0] ?? '/').join('; ');
    const reply = await call(this.url, route, { ...options, headers: { ...options.headers, ...(cookie !== '' && { cookie }) } });
    for (const line of reply.headers.getSetCookie()) this.keep(line);
    return reply;
  }

  /** Cookies for a request to this path, as `name=value`. */
  cookiesOf(path: string): string[] {
    const sent = [...this.jar].filter(([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')));
    return sent.map(([name, { value }]) => `${name.split(' ')[0]}=${value}`);
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const at = pair.indexOf('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const key = `${pair.slice(0, at)} ${path}`;
    if (pair.slice(at + 1) === '') this.jar.delete(key);
    else this.jar.set(key, { value: pair.slice(at + 1), path });
  }
}

export interface Wish {
  readonly clientId: string;
  readonly challenge: string;
  readonly more?: Readonly<Record<string, string>>;
}

export function authorizePath({ clientId, challenge, more = {} }: Wish): `/${string}` {
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'st4te',
    scope: 'read hire',
    ...more,
  };
  return `/oauth/authorize${asQuery(query)}`;
}

/** From the program's link to the consent page. Returns its path. */
export async function beginConsent(browser: Browser, wish: Wish): Promise<`/oauth/consent/${string}`> {
  const begun = await browser.send(`GET ${authorizePath(wish)}`);
  assert.equal(begun.status, 303, JSON.stringify(begun.body));
  const location = begun.headers.get('location') ?? '';
  assert.match(location, /^\/oauth\/consent\//);
  return location as `/oauth/consent/${string}`;
}

export interface Decision {
  readonly scopes?: readonly string[];
  readonly agent_id?: string | null;
  readonly daily_limit_usd?: string | null;
}

/** Requires the details, and returns the body of a decision that allows the requested scopes. */
export async function readDecision(browser: Browser, consent: `/oauth/consent/${string}`, chosen: Decision = {}): Promise<Envelope> {
  const read = await browser.send(`GET ${consent}/details`);
  assert.equal(read.status, 200, JSON.stringify(read.body));
  const { scopes, proof } = read.body['data'];
  const asked = scopes.filter((scope: Envelope) => scope['asked']).map((scope: Envelope) => scope['name']);
  return { proof, allow: true, scopes: asked, agent_id: null, daily_limit_usd: null, ...chosen };
}

/** Allows the requested scopes, unless the test names others. Returns the address and query of the redirect. */
export async function allow(browser: Browser, consent: `/oauth/consent/${string}`, chosen: Decision = {}): Promise<URL> {
  const body = await readDecision(browser, consent, chosen);
  const decided = await browser.send(`POST ${consent}/decision`, { body });
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  return await follow(browser, decided);
}

export async function follow(browser: Browser, decided: Reply): Promise<URL> {
  const { pathname } = new URL(String(decided.body['data'].location));
  const sent = await browser.send(`GET ${pathname as `/${string}`}`);
  assert.equal(sent.status, 303, JSON.stringify(sent.body));
  return new URL(sent.headers.get('location') ?? '');
}

export async function exchangeToken(url: string, fields: Record<string, string>): Promise<Reply> {
  const raw = new URLSearchParams(fields).toString();
  return await call(url, 'POST /api/oauth/token', { raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
}

export async function exchangeCode(url: string, grant: { clientId: string; code: string; verifier: string }): Promise<Reply> {
  return await exchangeToken(url, {
    grant_type: 'authorization_code',
    client_id: grant.clientId,
    code: grant.code,
    code_verifier: grant.verifier,
    redirect_uri: REDIRECT,
  });
}

export async function refresh(url: string, clientId: string, refreshToken: string): Promise<Reply> {
  return await exchangeToken(url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
}

export interface Connected {
  readonly clientId: string;
  readonly connectionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface Connecting extends Decision {
  readonly scope?: string;
  /** A program that is already registered. */
  readonly clientId?: string;
}

/** Connects a program: registration, consent by the person with this sign-in token, tokens. */
export async function connectProgram(url: string, idpToken: string, connecting: Connecting = {}): Promise<Connected> {
  return await connectFrom(new Browser(url, { 'idp-token': idpToken }), url, connecting);
}

/** As `connectProgram`, by the person signed in to this browser. */
export async function connectFrom(
  browser: Browser,
  url: string,
  { scope, clientId: known, ...chosen }: Connecting = {},
): Promise<Connected> {
  const clientId = known ?? (await registerProgram(url));
  const { verifier, challenge } = newPkce();
  const consent = await beginConsent(browser, { clientId, challenge, ...(scope !== undefined && { more: { scope } }) });
  const sentTo = await allow(browser, consent, chosen);
  const reply = await exchangeCode(url, { clientId, code: sentTo.searchParams.get('code') ?? '', verifier });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { access_token: accessToken, refresh_token: refreshToken } = reply.body as Record<string, string>;
  const { sub } = JSON.parse(Buffer.from(accessToken?.split('.')[1] ?? '', 'base64url').toString());
  return { clientId, connectionId: sub, accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
}
