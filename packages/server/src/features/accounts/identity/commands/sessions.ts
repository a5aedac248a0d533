import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { closeSession, closeSessionsOf, openSession, SESSION_COOKIE, SESSION_SECONDS, TOKEN_COOKIE } from '../../../../access/sessions.ts';
import type { IdentityContext } from '../identity-context.ts';

export function createSession(context: IdentityContext): HandlersOf<'auth'>['createSession'] {
  return async (_input, call) => {
    const { wallet } = call.caller;
    if (wallet?.action?.action !== 'session') throw new MarketError('sign_in_message_required');
    const session = await openSession(context.database.db, wallet, context.clock.now());
    call.setCookie(SESSION_COOKIE, session.token, SESSION_SECONDS);
    return { data: { wallet: wallet.address, chain: wallet.chain, expires_at: session.expiresAt.toISOString() } };
  };
}

/** A signature of the wallet ends all its sessions. Otherwise a stolen cookie could be renewed for ever, and the owner could not end it. */
export function endSession(context: IdentityContext): HandlersOf<'auth'>['endSession'] {
  return async (_input, call) => {
    const { db } = context.database;
    const { wallet } = call.caller;
    const isEverywhere = wallet !== undefined && wallet.fromCookie !== true && (await closeSessionsOf(db, wallet));
    const isHere = call.sessionCookie !== undefined && (await closeSession(db, call.sessionCookie));
    const ended = isEverywhere || isHere;
    call.setCookie(SESSION_COOKIE, '', 0);
    call.setCookie(TOKEN_COOKIE, '', 0);
    return { data: { ended } };
  };
}
