import type { IdpIdentity } from '../../platform/idp/idp-claims.ts';

/** How a message names an account to people, where the provider knows an e-mail address. */
export function labelOf({ email, googleEmail }: IdpIdentity): { readonly accountLabel?: string } {
  const accountLabel = email ?? googleEmail;
  return accountLabel === undefined ? {} : { accountLabel };
}
