/** Wallet sessions: a random cookie of which only a hash is stored, renewed while it is used. */
import { createHash } from 'node:crypto';
import type { NetworkName } from '@market/contract';
import type { Db } from '../platform/db/database.ts';
import { newSessionToken } from '../platform/random.ts';
import type { ProvenNetwork, WalletCaller } from './caller.ts';
import { deleteSession, deleteSessionsOf, extendSession, findSession, insertSession } from './credentials-repository.ts';

/** Holds the identity provider's token in browsers. */
export const TOKEN_COOKIE = 'idp-token';
export const SESSION_COOKIE = 'market_session';

/**
 * Over https browsers take a `__Host-` cookie only from this very host, so that a sibling host cannot plant a session. Over plain http,
 * which only a sandbox speaks, browsers refuse that prefix.
 */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

export const SESSION_SECONDS = 7 * 24 * 3600;
const RENEW_AFTER_SECONDS = 24 * 3600;

export async function openSession(
  db: Db,
  wallet: Pick<WalletCaller, 'address' | 'chain' | 'provenOn'>,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newSessionToken();
  const expiresAt = inSeconds(now, SESSION_SECONDS);
  await insertSession(db, {
    tokenHash: hashOf(token),
    wallet: wallet.address,
    chain: wallet.chain,
    provenOn: provenOnText(wallet),
    byAction: true,
    createdAt: now,
    expiresAt,
  });
  return { token, expiresAt };
}

export interface ResumedSession extends Pick<WalletCaller, 'address' | 'chain' | 'provenOn'> {
  readonly renewed: boolean;
  /** Made by an action message. Older ones read and act until they end. */
  readonly byAction: boolean;
  readonly ageSeconds: number;
}

export async function resumeSession(db: Db, token: string, now: Date): Promise<ResumedSession | undefined> {
  if (token.length > 100) return undefined;
  const session = await findSession(db, hashOf(token), now);
  if (session === undefined) return undefined;
  const usedSeconds = SESSION_SECONDS - (session.expiresAt.getTime() - now.getTime()) / 1000;
  const { byAction } = session;
  const renewed = byAction && usedSeconds > RENEW_AFTER_SECONDS;
  if (renewed) await extendSession(db, hashOf(token), inSeconds(now, SESSION_SECONDS));
  const provenOn = readProvenOn(session.provenOn);
  const ageSeconds = (now.getTime() - session.createdAt.getTime()) / 1000;
  return { address: session.wallet, chain: session.chain, ...(provenOn && { provenOn }), renewed, byAction, ageSeconds };
}

export async function closeSession(db: Db, token: string): Promise<boolean> {
  return await deleteSession(db, hashOf(token));
}

/** Ends every session of the wallet. */
export async function closeSessionsOf(db: Db, { chain, address }: Pick<WalletCaller, 'chain' | 'address'>): Promise<boolean> {
  return await deleteSessionsOf(db, chain, address);
}

/** `base-mainnet=eip155:8453`, one per network. */
function provenOnText({ provenOn }: Pick<WalletCaller, 'provenOn'>): string[] | null {
  return provenOn?.map(({ network, caip2 }) => `${network}=${caip2}`) ?? null;
}

function readProvenOn(stored: readonly string[] | null): readonly ProvenNetwork[] | undefined {
  return stored?.map((text) => {
    const [network = '', caip2 = ''] = text.split('=');
    return { network: network as NetworkName, caip2 };
  });
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function inSeconds(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
