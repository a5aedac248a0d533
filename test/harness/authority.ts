/** Victims and thieves for tests of authority: copied signatures, accounts, sessions, and the outcomes of a theft. */
import assert from 'node:assert/strict';
import { asQuery, type CallOptions, call, cookieOf, type Envelope, expectCall, type Reply } from './http.ts';
import type { ToolReply } from './mcp.ts';
import { allow, Browser, beginConsent, type Connected, type Decision, exchangeCode, newPkce } from './oauth.ts';
import { type SignatureFields, signed, type TestWallet, tokenFor } from './people.ts';

export const MINUTE = 60_000;

/** An ordinary signature of four minutes ago whose owner read with it in the query string, so that address logs have it. */
export async function copiedSignature(url: string, victim: TestWallet, ageMs = 4 * MINUTE): Promise<SignatureFields> {
  const fields = await signed(victim, Date.now() - ageMs);
  await expectCall(url, 200, `GET /api/notifications${asQuery(fields)}`);
  return fields;
}

export interface Account {
  readonly id: string;
  readonly token: string;
  readonly email: string;
}

let accounts = 0;

/** Signs a person in; the identity provider asserts these wallets, so they are linked. */
export async function openAccount(url: string, ...wallets: readonly Pick<TestWallet, 'chain' | 'address'>[]): Promise<Account> {
  accounts += 1;
  const linked = wallets.map(({ chain, address }) => ({ chain, address }));
  const email = `authority-${process.pid}-${accounts}@example.com`;
  const token = await tokenFor(url, { email, wallets: linked });
  const { user } = await expectCall(url, 200, 'POST /api/auth/user', { key: token });
  return { id: user.idp_user_id, token, email };
}

/** The cookie of a wallet session. Signs the message of the refusal, because an ordinary signature opens no session. */
export async function openWalletSession(url: string, wallet: TestWallet): Promise<string> {
  const reply = await callAsAsked(url, wallet, 'POST /api/auth/session', { body: await signed(wallet) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return cookieOf(reply);
}

/** Calls, and once more with the signature that the refusal asks for. */
export async function callAsAsked(
  url: string,
  wallet: TestWallet,
  route: `${string} /${string}`,
  { body, ...options }: CallOptions & { readonly body: Record<string, unknown> },
): Promise<Reply> {
  const reply = await call(url, route, { ...options, body });
  const { text_to_sign: text, wallet_sig_ts, message } = reply.body['data'] ?? {};
  const words = text ?? message;
  if (reply.status !== 401 || words === undefined) return reply;
  const { wallet: _wallet, wallet_sig: _ordinary, wallet_sig_ts: _when, ...rest } = body;
  const proof = text === undefined ? { signed_message: message } : { wallet: wallet.address, wallet_sig_ts };
  return await call(url, route, { ...options, body: { ...rest, ...proof, wallet_sig: await wallet.sign(words) } });
}

/** `200`, or `401 invalid_api_key`. */
export function outcomeOf({ status, body }: Pick<Reply, 'status' | 'body'>): string {
  return status < 400 ? String(status) : `${status} ${body['code']}`;
}

/** `ok`, or the code of the refusal. */
export function outcomeOfTool({ isError, structuredContent }: ToolReply): string {
  return isError === true ? String(structuredContent['code']) : 'ok';
}

type Fact = string | number | bigint | boolean | null | undefined;

/** The outcome of each step of a theft, then the allowed ones: outcomes of calls, and facts about the money. */
export type Steps = Readonly<Record<string, readonly [came: Fact | Pick<Reply, 'status' | 'body'>, ...allowed: Fact[]]>>;

/** Compares all steps at once, so that a failure shows the whole theft. */
export function requireOutcomes(steps: Steps): void {
  const wrong: Record<string, string> = {};
  for (const [step, [came, ...allowed]] of Object.entries(steps)) {
    const outcome = came !== null && typeof came === 'object' ? outcomeOf(came) : came;
    if (!allowed.includes(outcome)) wrong[step] = `${outcome}, not ${allowed.map(String).join(' or ')}`;
  }
  assert.deepEqual(wrong, {});
}

interface Queryable {
  readonly database: { readonly pool: { query(sql: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> } };
}

/** The number of rows with this value; 0 shows that nothing was granted. */
export async function countRows({ database }: Queryable, table: string, column: string, value: unknown): Promise<number> {
  const { rows } = await database.pool.query(`select 1 from ${table} where ${column} = $1`, [value]);
  return rows.length;
}

/** Refusals of a call that only the owner wallet's custody signature may make. */
export const CUSTODY_ONLY = ['403 owner_proof_required', '401 custody_signature_required'] as const;
/** Refusals of a stranger, by any route. */
export const STRANGER = ['403 forbidden', ...CUSTODY_ONLY] as const;

/** Every value of this field, at any depth. */
export function valuesOf(content: unknown, field: string): unknown[] {
  if (content === null || typeof content !== 'object') return [];
  return Object.entries(content).flatMap(([name, value]) => [...(name === field ? [value] : []), ...valuesOf(value, field)]);
}

/** Connects a program that is already registered; its person's browser holds these cookies. */
export async function connectAgain(
  url: string,
  cookies: Readonly<Record<string, string>>,
  clientId: string,
  { scope, ...chosen }: Decision & { readonly scope: string },
): Promise<Connected> {
  const { verifier, challenge } = newPkce();
  const browser = new Browser(url, cookies);
  const sentTo = await allow(browser, await beginConsent(browser, { clientId, challenge, more: { scope } }), chosen);
  const { status, body } = await exchangeCode(url, { clientId, code: sentTo.searchParams.get('code') ?? '', verifier });
  assert.equal(status, 200, JSON.stringify(body));
  const listed = await browser.send('GET /api/connections');
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
  const [newest] = listed.body['data'] as readonly Envelope[];
  return { clientId, connectionId: newest?.['id'], accessToken: body['access_token'], refreshToken: body['refresh_token'] };
}

export async function disconnect(url: string, token: string, { connectionId }: Pick<Connected, 'connectionId'>): Promise<void> {
  await expectCall(url, 200, `DELETE /api/connections/${connectionId}`, { key: token });
}
