/** Wallet sessions: a random cookie of which only a hash is stored, renewed while it is used. */
import { createHash } from 'node:crypto';
import type { Db } from '../platform/db/database.ts';
import { newSessionToken } from '../platform/random.ts';
import type { WalletCaller } from './caller.ts';
import { deleteSession, deleteSessionsOf, extendSession, findSession, insertSession } from './credentials-repository.ts';
import { readNetworks, storedNetworks } from './proven-networks.ts';

/** Cookie with the identity provider's token in browsers. */
export const TOKEN_COOKIE = 'idp-token';
export const SESSION_COOKIE = 'market_session';

/**
 * The name of the session cookie. Over https, browsers take a `__Host-` cookie only from this very host, so a sibling host cannot plant a
 * session. Over plain http, which only a sandbox uses, browsers refuse that prefix.
 */
export function sessionCookieName(isHttps: boolean): string {
  return isHttps ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

export const SESSION_SECONDS = 7 * 24 * 3600;
const RENEW_AFTER_SECONDS = 24 * 3600;
/** A session ends within 30 days, however much it is used: a stolen cookie must not live for ever. */
const RENEWED_FOR_SECONDS = 23 * 24 * 3600;

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
    provenOn: storedNetworks(wallet.provenOn),
    byAction: true,
    createdAt: now,
    expiresAt,
  });
  return { token, expiresAt };
}

export interface ResumedSession extends Pick<WalletCaller, 'address' | 'chain' | 'provenOn'> {
  readonly renewed: boolean;
  /** Made by an action message. Older sessions read and act until they end. */
  readonly byAction: boolean;
  readonly ageSeconds: number;
}

export async function resumeSession(db: Db, token: string, now: Date): Promise<ResumedSession | undefined> {
  if (token.length > 100) return undefined;
  const session = await findSession(db, hashOf(token), now);
  if (session === undefined) return undefined;
  const usedSeconds = SESSION_SECONDS - (session.expiresAt.getTime() - now.getTime()) / 1000;
  const { byAction } = session;
  const ageSeconds = (now.getTime() - session.createdAt.getTime()) / 1000;
  const renewed = byAction && usedSeconds > RENEW_AFTER_SECONDS && ageSeconds < RENEWED_FOR_SECONDS;
  if (renewed) await extendSession(db, hashOf(token), inSeconds(now, SESSION_SECONDS));
  const provenOn = readNetworks(session.provenOn);
  return { address: session.wallet, chain: session.chain, ...(provenOn && { provenOn }), renewed, byAction, ageSeconds };
}

export async function closeSession(db: Db, token: string): Promise<boolean> {
  return await deleteSession(db, hashOf(token));
}

/** Signs the wallet out everywhere. */
export async function closeSessionsOf(db: Db, { chain, address }: Pick<WalletCaller, 'chain' | 'address'>): Promise<boolean> {
  return await deleteSessionsOf(db, chain, address);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function inSeconds(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
