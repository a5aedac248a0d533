// The token endpoint: exchanges a code for tokens, only for the app, address and verifier it was issued for.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthorizationCodes } from './authorization-codes.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Grant } from './authorize-endpoint.ts';
import { answerJson, type ProviderRequest, type ProviderResponse } from './exchange.ts';
import { OAuthError } from './oauth-error.ts';
import { getParameter, readForm } from './parameters.ts';
import { TOKEN_LIFETIME_SECONDS, type TokenSigner } from './tokens.ts';

const MAX_LENGTH = 2_000;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export async function exchangeCode(
  options: { readonly codes: AuthorizationCodes<Grant>; readonly signer: TokenSigner },
  httpRequest: ProviderRequest,
): Promise<ProviderResponse> {
  const form = readForm(httpRequest);
  if (getParameter(form, 'grant_type', MAX_LENGTH) !== 'authorization_code') {
    throw new OAuthError('unsupported_grant_type', 'Only grant_type=authorization_code is supported.');
  }
  const { request, signedIn } = takeGrant(options.codes, form);
  return answerJson(
    {
      access_token: await options.signer.signAccessToken(signedIn),
      id_token: await options.signer.signIdToken(signedIn, request.clientId, request.nonce),
      token_type: 'Bearer',
      expires_in: TOKEN_LIFETIME_SECONDS,
      scope: request.scope,
    },
    'no-store',
  );
}

function takeGrant(codes: AuthorizationCodes<Grant>, form: URLSearchParams): Grant {
  const code = getParameter(form, 'code', MAX_LENGTH);
  const clientId = getParameter(form, 'client_id', MAX_LENGTH);
  const redirectUri = getParameter(form, 'redirect_uri', MAX_LENGTH);
  const verifier = getParameter(form, 'code_verifier', MAX_LENGTH);
  if (!VERIFIER.test(verifier)) {
    throw new OAuthError('invalid_request', 'code_verifier must have 43 to 128 letters, numbers or - . _ ~ characters.');
  }
  const grant = codes.take(code);
  if (grant === undefined) throw new OAuthError('invalid_grant', 'The code is unknown, used or older than 60 seconds. Sign in again.');
  if (!isFor(grant.request, clientId, redirectUri, verifier)) {
    throw new OAuthError(
      'invalid_grant',
      'client_id, redirect_uri or code_verifier is not the one the code was issued for. Sign in again.',
    );
  }
  return grant;
}

function isFor(request: AuthorizationRequest, clientId: string, redirectUri: string, verifier: string): boolean {
  const challenge = Buffer.from(request.codeChallenge, 'base64url');
  const proof = createHash('sha256').update(verifier).digest();
  return request.clientId === clientId && request.redirectUri === redirectUri && timingSafeEqual(challenge, proof);
}
