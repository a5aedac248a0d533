/** Adapts requests to the authorization endpoint for the library: keeps known scopes only, and asks for all of them when none is named. */
import { isScope, scopeNames } from '@market/contract';

/** Parameters of OpenID Connect. We sign nobody in elsewhere, so they mean nothing here, and the library would refuse them. */
const OF_OPENID = ['nonce', 'max_age', 'acr_values', 'claims', 'claims_locales', 'id_token_hint', 'login_hint', 'ui_locales', 'display'];

export function readAuthorizeQuery(search: string): string {
  const query = new URLSearchParams(search);
  for (const name of OF_OPENID) query.delete(name);
  const named = query.getAll('scope');
  // The library refuses a repeated parameter.
  if (named.length > 1) return query.toString();
  const asked = (named[0] ?? '').split(' ').filter((scope) => scope !== '');
  const known = asked.filter(isScope);
  if (asked.length === 0) query.set('scope', scopeNames.join(' '));
  else if (known.length > 0) query.set('scope', [...new Set(known)].join(' '));
  return query.toString();
}
