/** The identity provider: the configured one, the sandbox's own, or none. */
import path from 'node:path';
import { createDevelopmentIdentityProvider } from '@market/sandbox';
import { openSite, type SiteFacts, sitePaths, typefaceOf } from '@market/web';
import type { SandboxContext } from '../features/sandbox/index.ts';
import type { DatabaseClock } from '../platform/clock/database-clock.ts';
import { type CodeExchange, createCodeExchange } from '../platform/idp/exchange-code.ts';
import { createIdpVerifier, type IdpVerifier } from '../platform/idp/idp-token.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { IDENTITY_PROVIDER_PATH } from '../surfaces/identity-provider/mount-identity-provider.ts';
import type { AppOptions } from './app-options.ts';

const DEVELOPMENT_AUDIENCE = 'market';

interface Identity {
  readonly verifier: IdpVerifier | undefined;
  readonly sandbox: SandboxContext | undefined;
  /** The URL where the site sends people to sign in. */
  readonly forSite: SiteFacts['identityProvider'];
  readonly exchangeCode: CodeExchange | undefined;
}

/** Uses the configured provider; otherwise the sandbox brings its own, and production has no sign-in. */
export async function createIdentity(
  { config, addresses, chains, localChains }: AppOptions,
  clock: DatabaseClock,
  log: Logger,
): Promise<Identity> {
  const { algorithms, adminEmails } = config.idp;
  const now = clock.realNow;
  const redirectUri = `${addresses.appUrl}${sitePaths.signIn}`;
  const onRefusal = (reason: string) => log.info({ reason }, 'sign-in token refused');
  const issuer = `${addresses.baseUrl}${IDENTITY_PROVIDER_PATH}`;
  const sandbox: SandboxContext | undefined =
    config.profile === 'sandbox'
      ? {
          clock,
          chains,
          localChains,
          venues: config.earn.venues,
          idp: {
            issuer,
            jwksUri: `${issuer}/jwks`,
            provider: await createDevelopmentIdentityProvider({
              issuer,
              audience: DEVELOPMENT_AUDIENCE,
              keyFile: path.join(config.dataDir, 'keys', 'identity-provider.json'),
              allowedRedirectOrigins: [new URL(addresses.baseUrl).origin, new URL(addresses.appUrl).origin],
              now,
              serviceName: config.serviceName,
              typeface: typefaceOf(openSite()?.manifest),
            }),
          },
        }
      : undefined;

  if (config.idp.issuer !== undefined && config.idp.audience !== undefined) {
    const verifier = createIdpVerifier({
      issuer: config.idp.issuer,
      audience: config.idp.audience,
      jwksUri: config.idp.jwksUri,
      algorithms,
      adminEmails,
      now,
      onRefusal,
    });
    const { clientId } = config.idp;
    if (clientId === undefined) return { verifier, sandbox, forSite: null, exchangeCode: undefined };
    const forSite = { issuer: config.idp.issuer, clientId };
    return { verifier, sandbox, forSite, exchangeCode: createCodeExchange({ ...forSite, redirectUri }) };
  }
  if (sandbox === undefined) return { verifier: undefined, sandbox, forSite: null, exchangeCode: undefined };
  const verifier = createIdpVerifier({
    issuer,
    audience: DEVELOPMENT_AUDIENCE,
    // Over loopback, so that it works behind any public address.
    jwksUri: `${addresses.selfUrl}${IDENTITY_PROVIDER_PATH}/jwks`,
    algorithms: ['ES256'],
    adminEmails,
    trustAdminClaim: true,
    now,
    onRefusal,
  });
  const forSite = { issuer, clientId: 'site' };
  const tokenEndpoint = `${addresses.selfUrl}${IDENTITY_PROVIDER_PATH}/token`;
  return { verifier, sandbox, forSite, exchangeCode: createCodeExchange({ ...forSite, redirectUri, tokenEndpoint }) };
}
