/** People and wallets for tests, with real keys. */
import { randomBytes } from 'node:crypto';
import { custodySignedText, ordinarySignedText } from '@market/contract';
import { ed25519 } from '@noble/curves/ed25519';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { call, cookieOf, type Envelope, expectCall } from './http.ts';

export interface TestWallet {
  readonly address: string;
  readonly chain: 'solana' | 'base';
  sign(text: string): Promise<string>;
}

export function solanaWallet(): TestWallet {
  const secret = randomBytes(32);
  return {
    chain: 'solana',
    address: base58.encode(ed25519.getPublicKey(secret)),
    sign: async (text) => base58.encode(ed25519.sign(new TextEncoder().encode(text), secret)),
  };
}

export function baseWallet(): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return { chain: 'base', address: account.address, sign: (text) => account.signMessage({ message: text }) };
}

/** A type, not an interface, so that it can be passed as a body of unknown fields. */
export type SignatureFields = {
  readonly wallet: string;
  readonly wallet_sig: string;
  readonly wallet_sig_ts: number;
};

let latest = 0;

/** A time that no earlier signature of this process has, because one wallet must not sign the same text for two calls. */
function freshTime(): number {
  latest = Math.max(Date.now(), latest + 1);
  return latest;
}

/** The ordinary signature fields, dated `at`. */
export async function signed(wallet: TestWallet, at = freshTime()): Promise<SignatureFields> {
  return { wallet: wallet.address, wallet_sig: await wallet.sign(ordinarySignedText(wallet.address, at)), wallet_sig_ts: at };
}

/** The fields of a signature over this very request to the service at `url`. */
export async function signedFor(
  url: string,
  wallet: TestWallet,
  request: { method: string; path: string; body: Record<string, unknown> },
  at = Date.now(),
): Promise<SignatureFields> {
  const text = await custodySignedText({ host: new URL(url).host, wallet: wallet.address, timestampMs: at, ...request });
  return { wallet: wallet.address, wallet_sig: await wallet.sign(text), wallet_sig_ts: at };
}

/** The fields of a message of the service that the wallet signed for an action. */
export async function agreed(
  url: string,
  wallet: TestWallet,
  asked: { action: 'session' | 'link_wallet' | 'link_agent' | 'own_agent'; agent_id?: string },
  token?: string,
): Promise<{ wallet: string; wallet_sig: string; signed_message: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await call(url, 'POST /api/auth/challenge', { headers, body: { ...asked, wallet: wallet.address, chain: wallet.chain } });
  const message = String(reply.body['data']?.message);
  return { wallet: wallet.address, wallet_sig: await wallet.sign(message), signed_message: message };
}

/** Signs in with the wallet; returns the session's cookie. */
export async function openSession(url: string, wallet: TestWallet): Promise<string> {
  const reply = await call(url, 'POST /api/auth/session', { body: await agreed(url, wallet, { action: 'session' }) });
  if (reply.status !== 200) throw new Error(`no session: ${JSON.stringify(reply.body)}`);
  return cookieOf(reply);
}

/** Links the wallet to the account of the token; returns the answer's data. */
export async function linkWallet(url: string, token: string, wallet: TestWallet): Promise<Envelope> {
  return await expectCall(url, 200, 'POST /api/auth/wallets', {
    key: token,
    body: await agreed(url, wallet, { action: 'link_wallet' }, token),
  });
}

/** A signed action message as the header SIGN-IN-WITH-X carries it. */
export function asSignInHeader(message: { readonly signed_message: string; readonly wallet_sig: string }, { chain }: TestWallet): string {
  const lines = message.signed_message.split('\n');
  const fieldOf = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const fields = {
    domain: lines[0]?.split(' ')[0],
    address: lines[1],
    statement: lines[3],
    uri: fieldOf('URI'),
    version: fieldOf('Version'),
    chainId: chain === 'solana' ? 'solana:mainnet' : `eip155:${fieldOf('Chain ID')}`,
    type: chain === 'solana' ? 'ed25519' : 'eip191',
    nonce: fieldOf('Nonce'),
    issuedAt: fieldOf('Issued At'),
    expirationTime: fieldOf('Expiration Time'),
    requestId: fieldOf('Request ID'),
    signature: message.wallet_sig,
  };
  return Buffer.from(JSON.stringify(fields)).toString('base64');
}

/** A signature in headers, instead of body or query. */
export function asHeaders({ wallet, wallet_sig, wallet_sig_ts }: SignatureFields): Record<string, string> {
  return { 'x-market-wallet': wallet, 'x-market-wallet-sig': wallet_sig, 'x-market-wallet-sig-ts': String(wallet_sig_ts) };
}

export async function tokenFor(url: string, person: Record<string, unknown>): Promise<string> {
  const reply = await call(url, 'POST /sandbox/idp/token', { body: person });
  return String(reply.body['data']?.access_token);
}

let registered = 0;
let launched = 0;

/** A symbol that no other token of this process has: tests share markets. */
export function ownSymbol(): string {
  launched += 1;
  return `T${letters(process.pid % 1000)}${letters(launched)}`.toUpperCase();
}

/** A valid registration body under a new name. */
export function agentBody(more: Record<string, unknown> = {}): Record<string, unknown> & { name: string } {
  registered += 1;
  const name = `Agent ${letters(process.pid)} ${letters(registered)}`;
  return { name, description: `Does honest work, number ${registered} of ${process.pid}.`, ...more };
}

const SAFE_LETTERS = 'abcdefghjkmnopqrtuvwxyz';

/** Letters without look-alikes: digits and look-alikes could collide. */
function letters(number: number): string {
  const digits = number.toString(SAFE_LETTERS.length);
  return digits.replace(/./g, (digit) => SAFE_LETTERS[Number.parseInt(digit, SAFE_LETTERS.length)] ?? '');
}
