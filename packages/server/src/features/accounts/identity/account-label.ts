import type { IdpIdentity } from '../../../platform/idp/idp-claims.ts';

/** The name of an account in messages to people: its e-mail address, if the provider has one. */
export function labelOf({ email, googleEmail }: IdpIdentity): { readonly accountLabel?: string } {
  const accountLabel = email ?? googleEmail;
  return accountLabel === undefined ? {} : { accountLabel };
}
