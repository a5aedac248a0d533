/** Explains why a token was refused, without repeating its contents. */
import * as errors from 'jose/errors';

export interface ExpectedToken {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
}

export function describeRefusal(error: unknown, { issuer, audience, algorithms }: ExpectedToken): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JOSEAlgNotAllowed) return `its signature algorithm is not one of ${algorithms.join(', ')}`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'the provider has no key with its key id and algorithm';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not match the provider’s key';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return `its issuer (iss) is not ${issuer}`;
    if (error.claim === 'aud') return `its audience (aud) is not ${audience}`;
    if (error.claim === 'nbf') return 'it is not valid yet (nbf)';
    return `its claim ${/^[a-z]{1,10}$/.test(error.claim) ? error.claim : 'set'} is missing or malformed`;
  }
  return 'it is not a well-formed signed JWT';
}
