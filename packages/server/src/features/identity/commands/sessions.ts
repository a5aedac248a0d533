import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { closeSession, openSession, SESSION_COOKIE, SESSION_SECONDS, TOKEN_COOKIE } from '../../../access/sessions.ts';
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

export function endSession(context: IdentityContext): HandlersOf<'auth'>['endSession'] {
  return async (_input, call) => {
    const ended = call.sessionCookie !== undefined && (await closeSession(context.database.db, call.sessionCookie));
    call.setCookie(SESSION_COOKIE, '', 0);
    call.setCookie(TOKEN_COOKIE, '', 0);
    return { data: { ended } };
  };
}
