import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import type { IdentityContext } from '../identity-context.ts';

/** Exchanges a sign-in code at the provider. Our database does not change. */
export function exchangeCode({ exchangeCode: exchange }: IdentityContext): HandlersOf<'auth'>['exchangeCode'] {
  return async ({ code, code_verifier }) => {
    if (exchange === undefined) throw new MarketError('idp_not_configured');
    return { data: { access_token: await exchange(code, code_verifier) } };
  };
}
