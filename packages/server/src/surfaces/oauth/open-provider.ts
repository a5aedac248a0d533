/** The authorization server: the library's settings, loaded when the first program asks. */
import { connectionLimits, scopeNames } from '@market/contract';
import type { Configuration, Interaction, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type ConnectionsContext, openSigningKey, providerStorage } from '../../features/accounts/connections/index.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { redirectProblem } from './registration.ts';

export interface ProviderOptions {
  readonly context: ConnectionsContext;
  readonly appUrl: string;
  /** Fetches the metadata documents of programs. */
  readonly outbound: OutboundClient;
  readonly log: Logger;
}

type Library = typeof import('oidc-provider');

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/api/oauth/token',
  register: '/api/oauth/register',
  revoke: '/api/oauth/revoke',
  keys: '/oauth/jwks',
  consent: '/oauth/consent',
} as const;

/** Marks an error that is shown as a page: we show a page of our own. */
export const PROBLEM_HEADER = 'x-oauth-problem';
/** Names the error when an answer redirects the person back to the program. */
export const REFUSAL_HEADER = 'x-oauth-refusal';
const DOCUMENT_BYTES = 10 * 1024;
const DAY_SECONDS = 86_400;

export async function openProvider(options: ProviderOptions): Promise<Provider> {
  const { context, appUrl, log } = options;
  const library = await import('oidc-provider');
  const key = await openSigningKey(context);
  const provider = new library.Provider(appUrl, settingsOf(library, options, key.privateJwk as Record<string, unknown>));
  // We set the forwarded headers ourselves, from the settings: see `forwardedHeaders`.
  provider.proxy = true;
  // The library emits this event, but its types lack it.
  (provider as unknown as NodeJS.EventEmitter).on('authorization.error', markRefusal);
  provider.on('server_error', (ctx, error) => {
    log.error({ err: error }, 'the authorization server failed');
    markRefusal(ctx, { error: 'server_error' });
  });
  return provider;
}

export interface Refusal {
  readonly clientId: string | null;
  readonly error: string;
  readonly description: string | null;
}

function markRefusal(
  ctx: KoaContextWithOIDC,
  { error, error_description: description = null }: { error: string; error_description?: string | null },
) {
  const refusal: Refusal = { clientId: ctx.oidc.client?.clientId ?? null, error, description };
  ctx.set(REFUSAL_HEADER, encodeURIComponent(JSON.stringify(refusal)));
}

/** Host and scheme by our settings, whatever the request says. */
export function forwardedHeaders(appUrl: string): Record<string, string> {
  const { host, protocol } = new URL(appUrl);
  return { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

export function resourceOf(appUrl: string): string {
  return `${appUrl}/mcp`;
}

function settingsOf(library: Library, options: ProviderOptions, jwk: Record<string, unknown>): Configuration {
  const { context, appUrl } = options;
  const { errors } = library;
  const isHttps = appUrl.startsWith('https:');
  const prefix = isHttps ? '__Secure-' : '';
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, secure: isHttps } as const;
  return {
    adapter: providerStorage(context, {
      resource: resourceOf(appUrl),
      reused: () => new errors.InvalidGrant('This code or refresh token was used before.'),
      reason: () => (library.Provider.ctx?.oidc.route === 'revocation' ? 'program' : 'misuse'),
    }) as unknown as NonNullable<Configuration['adapter']>,
    jwks: { keys: [jwk as never] },
    scopes: [...scopeNames],
    claims: { sub: [] } as never,
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    extraClientMetadata: {
      // Validated for every program, including those with a metadata document.
      properties: ['redirects'],
      validator(_ctx, _key, _value, { redirect_uris: uris = [] }) {
        const problem = redirectProblem(uris);
        if (problem !== undefined) throw new errors.InvalidRedirectUri(problem);
      },
    },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    allowOmittingSingleRegisteredRedirectUri: false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    clientBasedCORS: () => true,
    findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
      jwks: oauthPaths.keys,
    },
    cookies: {
      keys: context.secrets.lookupHashes('cookies of the authorization server').map((hash) => hash.toString('base64url')),
      names: { session: `${prefix}oauth_session`, interaction: `${prefix}oauth_consent`, resume: `${prefix}oauth_resume` },
      short: cookie,
      long: { ...cookie, path: oauthPaths.authorize },
    },
    interactions: { url: (_ctx, { uid }) => `${oauthPaths.consent}/${uid}`, policy: alwaysAsk(library) },
    ttl: {
      AccessToken: connectionLimits.accessTokenSeconds,
      AuthorizationCode: connectionLimits.codeSeconds,
      Interaction: connectionLimits.consentSeconds,
      Grant: connectionLimits.connectionDays * DAY_SECONDS,
      // Refreshing does not prolong the connection: the last refresh token ends with it.
      RefreshToken: ({ oidc }) => Math.max(1, oidc.entities.Grant?.remainingTTL ?? 1),
      Session: connectionLimits.consentSeconds,
    },
    fetch: fetchThrough(options.outbound),
    renderError(ctx, out) {
      ctx.set(PROBLEM_HEADER, out.error);
      ctx.body = out;
    },
    features: featuresOf(library, appUrl),
  };
}

function featuresOf({ errors }: Library, appUrl: string): NonNullable<Configuration['features']> {
  const resource = resourceOf(appUrl);
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => resource,
      useGrantedResource: async () => true,
      async getResourceServerInfo(_ctx, asked) {
        if (asked !== resource) throw new errors.InvalidTarget();
        return {
          scope: scopeNames.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: connectionLimits.accessTokenSeconds,
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  } as NonNullable<Configuration['features']>;
}

/** Makes every connection ask for sign-in and a new decision. No connection is granted silently. */
function alwaysAsk({ interactionPolicy: { Check, Prompt } }: Library) {
  const isOpen = (ctx: KoaContextWithOIDC) => ctx.oidc.result?.consent === undefined || ctx.oidc.session?.accountId === undefined;
  const undecided = new Check('undecided', 'the person has not decided yet', isOpen);
  const details = (ctx: KoaContextWithOIDC) => ({ ...describeProgram(ctx) });
  return [new Prompt({ name: 'consent', requestable: true }, details, undecided)];
}

/** The program's own claims in its request. Stored with the consent, so the record matches what the person saw. */
export interface AskingProgram {
  readonly clientId: string;
  readonly name: string;
  readonly page: string | null;
}

function describeProgram({ oidc: { client } }: KoaContextWithOIDC): Omit<AskingProgram, 'clientId'> {
  return { name: client?.clientName ?? '', page: client?.clientUri ?? null };
}

export function programIn({ params, prompt: { details } }: Interaction): AskingProgram {
  const { name, page } = details as Partial<AskingProgram>;
  return { clientId: String(params['client_id']), name: name ?? '', page: page ?? null };
}

/** Fetches only checked addresses, without redirects, with limits on size and time. */
function fetchThrough(outbound: OutboundClient): NonNullable<Configuration['fetch']> {
  return async (url) => {
    const answer = await outbound.get(String(url), {
      headers: { accept: 'application/json' },
      timeoutMs: 5_000,
      maxResponseBytes: DOCUMENT_BYTES,
    });
    if (!answer.ok) throw new Error(answer.message);
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) if (typeof value === 'string') headers.set(name, value);
    return new Response(answer.status === 200 ? Uint8Array.from(answer.body) : null, { status: Math.max(200, answer.status), headers });
  };
}
