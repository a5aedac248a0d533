import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { IdentityContext } from '../identity-context.ts';

/** Changes nothing here: a code is spent at the provider. */
export function exchangeCode({ exchangeCode: exchange }: IdentityContext): HandlersOf<'auth'>['exchangeCode'] {
  return async ({ code, code_verifier }) => {
    if (exchange === undefined) throw new MarketError('idp_not_configured');
    return { data: { access_token: await exchange(code, code_verifier) } };
  };
}
