/** Verifies identity-provider tokens: signature, issuer, audience, expiry. `idp-claims.ts` reads the claims about the person. */
import { MarketError } from '@market/contract';
import { jwtVerify } from 'jose/jwt/verify';
import { type AdminRule, type IdpIdentity, readIdpIdentity } from './idp-claims.ts';
import { createIdpKeys } from './idp-token-keys.ts';
import { describeRefusal } from './idp-token-refusal.ts';

const MAX_TOKEN_LENGTH = 8 * 1024;
const CLOCK_LEEWAY_SECONDS = 30;

/** With a symmetric algorithm, anyone with the public key could sign. */
const ASYMMETRIC_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA', 'Ed25519'];

export interface IdpVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri?: string | undefined;
  readonly algorithms: readonly string[];
  readonly adminEmails: readonly string[];
  readonly trustAdminClaim?: boolean;
  readonly now: () => Date;
  /** Called with the reason in plain words, for the log. */
  readonly onRefusal?: (reason: string) => void;
}

export interface IdpVerifier {
  /** Throws `invalid_token`, or `idp_unavailable` when the provider's keys cannot be fetched to check the token. */
  verify(token: string): Promise<IdpIdentity>;
}

export function createIdpVerifier(options: IdpVerifierOptions): IdpVerifier {
  refuseUnsafeSettings(options);
  const { issuer, audience, jwksUri, algorithms, now } = options;
  const findKey = createIdpKeys({ issuer, jwksUri, now });
  const adminRule: AdminRule = { adminEmails: options.adminEmails, trustAdminClaim: options.trustAdminClaim === true };

  async function readClaims(token: string): Promise<unknown> {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      audience,
      algorithms: [...algorithms],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_LEEWAY_SECONDS,
      currentDate: now(),
    });
    return payload;
  }

  return {
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) throw refusal(`it is longer than ${MAX_TOKEN_LENGTH} characters`);
      const claims = await readClaims(token).catch((error: unknown) => {
        // The library's error contains the claims, so only our own description leaves this function.
        throw error instanceof MarketError ? error : refusal(describeRefusal(error, options));
      });
      const identity = readIdpIdentity(claims, adminRule);
      if (identity === undefined) throw refusal('its subject (sub) is missing or malformed');
      return identity;
    },
  };

  function refusal(reason: string): MarketError {
    options.onRefusal?.(reason);
    return new MarketError('invalid_token', {
      message: `The identity-provider token was refused: ${reason}. Sign in again.`,
      data: { reason },
    });
  }
}

function refuseUnsafeSettings({ issuer, audience, algorithms }: IdpVerifierOptions): void {
  if (issuer === '' || audience === '') throw new TypeError('The identity provider needs an issuer and an audience.');
  if (algorithms.length === 0) throw new TypeError('Name at least one signature algorithm for identity-provider tokens.');
  const unsafe = algorithms.filter((algorithm) => !ASYMMETRIC_ALGORITHMS.includes(algorithm));
  if (unsafe.length > 0) {
    throw new TypeError(
      `${unsafe.join(', ')} cannot be used for identity-provider tokens. Use one of ${ASYMMETRIC_ALGORITHMS.join(', ')}.`,
    );
  }
}
