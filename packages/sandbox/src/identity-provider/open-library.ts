// Configures oidc-provider without sessions: it checks requests, issues codes, and exchanges codes for tokens.

import type { AuthorizationCode, Configuration, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type AuthorizationCodes, createAuthorizationCodes } from './authorization-codes.ts';
import { describeUnsupported, isAllowedRedirect, SUPPORTED_SCOPES } from './authorization-parameters.ts';
import {
  type AuthorizeEndpointOptions,
  type AuthorizeState,
  createAuthorizeEndpoint,
  RESPONSE_MODE,
  showRefusal,
} from './authorize-endpoint.ts';
import { createLibraryStorage } from './library-storage.ts';
import { deriveUserId } from './person.ts';
import { composeAccessToken, describePerson, PERSON_CLAIMS, type SignedIn, TOKEN_LIFETIME_SECONDS, type TokenOptions } from './tokens.ts';

export interface LibraryOptions extends TokenOptions, AuthorizeEndpointOptions {
  readonly allowedRedirectOrigins: readonly string[];
}

export type OpenLibrary = (keys: readonly JWK[]) => Promise<Provider>;

/** Returns a function that makes a provider for a set of keys; grants between sign-in and token outlive a key rotation. */
export function createLibrary(options: LibraryOptions): OpenLibrary {
  const { issuer, now, allowedRedirectOrigins } = options;
  const adapter = createLibraryStorage(now, allowedRedirectOrigins);
  const signIns = createAuthorizationCodes<SignedIn>(now);
  return async (keys) => {
    const library = await import('oidc-provider');
    const settings = { ...settingsOf(library, options), ...accountsOf(library, options, signIns) };
    const provider = new library.Provider(issuer, { ...settings, adapter, jwks: { keys: [...keys] } });
    provider.registerResponseMode(RESPONSE_MODE, returnToApp);
    provider.Client.prototype.redirectUriAllowed = (redirectUri) => isAllowedRedirect(redirectUri, allowedRedirectOrigins);
    provider.use(createAuthorizeEndpoint(options));
    // Throw the error again, so that Koa prints it.
    provider.on('server_error', (_ctx, error) => {
      throw error;
    });
    return provider;
  };
}

type Library = typeof import('oidc-provider');

function settingsOf({ interactionPolicy: { Check, Prompt } }: Library, options: LibraryOptions): Configuration {
  const isUnknown = ({ oidc }: KoaContextWithOIDC) => oidc.session?.accountId === undefined;
  const noSession = 'The sandbox keeps no session, so it always shows its sign-in page.';
  const signIn = new Prompt({ name: 'login', requestable: true }, new Check('no_session', noSession, 'login_required', isUnknown));
  return {
    scopes: SUPPORTED_SCOPES,
    claims: { openid: PERSON_CLAIMS },
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => true,
    expiresWithSession: async () => false,
    routes: { authorization: '/authorize', token: '/token' },
    cookies: { keys: [options.formSecret.toString('base64url')] },
    interactions: { policy: [signIn], url: () => options.issuer },
    ttl: {
      ...{ AccessToken: TOKEN_LIFETIME_SECONDS, IdToken: TOKEN_LIFETIME_SECONDS },
      ...{ AuthorizationCode: 60, Grant: 60, Interaction: 60, Session: 60 },
    },
    loadExistingGrant: (ctx) => grantAll(ctx, options.issuer),
    renderError: (ctx, { error, error_description: description }) => showRefusal(options, ctx, error, description),
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => options.issuer,
        getResourceServerInfo: () => ({
          scope: SUPPORTED_SCOPES.join(' '),
          audience: options.audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

/** Keeps the signed-in person under the session id that the library makes for each request. */
function accountsOf({ errors }: Library, options: LibraryOptions, signIns: AuthorizationCodes<SignedIn>): Configuration {
  return {
    extraParams: {
      // The library calls this for every request with a valid app and redirect address: errors thrown here go back to the app.
      form_token(ctx) {
        const { sent, signedIn } = ctx.state as AuthorizeState;
        const problem = describeUnsupported(sent);
        if (problem !== undefined) throw new errors.InvalidRequest(problem);
        if (!ctx.oidc.requestParamScopes.has('openid')) throw new errors.InvalidScope('scope must include openid.', 'openid');
        const { session } = ctx.oidc;
        if (signedIn === undefined || session === undefined) return;
        session.loginAccount({ accountId: deriveUserId(signedIn.person.email) });
        signIns.keep(session.uid, signedIn);
      },
    },
    findAccount(_ctx, accountId, code) {
      if (code === undefined) return { accountId, claims: () => ({ sub: accountId }) };
      const signedIn = signIns.take((code as AuthorizationCode).sessionUid ?? '');
      return signedIn && { accountId, claims: () => describePerson(signedIn) };
    },
    formats: {
      customizers: {
        async jwt({ oidc }, _token, parts) {
          parts.header = { typ: 'JWT' };
          parts.payload = composeAccessToken(options, (await oidc.account?.claims('access_token', '', {}, [])) ?? {});
        },
      },
    },
  };
}

/** Returns the answer in the query, whatever response mode the app asked for. */
function returnToApp(ctx: KoaContextWithOIDC, redirectUri: string, answer: Record<string, unknown>): void {
  const location = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) location.searchParams.append(name, String(value));
  ctx.set('referrer-policy', 'no-referrer');
  ctx.redirect(location.href);
}

async function grantAll({ oidc }: KoaContextWithOIDC, resource: string) {
  const { accountId } = oidc.account ?? {};
  const grant = new oidc.provider.Grant({ accountId, clientId: oidc.client?.clientId });
  grant.addOIDCScope(SUPPORTED_SCOPES.join(' '));
  grant.addResourceScope(resource, SUPPORTED_SCOPES.join(' '));
  await grant.save();
  return grant;
}
