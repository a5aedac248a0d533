/** The last step of the authorization code flow: exchanges a code and the secret behind its challenge for a token. */
import { MarketError } from '@market/contract';
import { z } from 'zod';
import { fetchDiscovery, requestProvider } from './fetch-provider.ts';

export type CodeExchange = (code: string, codeVerifier: string) => Promise<string>;

export interface CodeExchangeOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** The URL to which the provider sent the person back; the provider refuses codes of other redirect URIs. */
  readonly redirectUri: string;
  /** Read from the issuer's discovery document when absent. */
  readonly tokenEndpoint?: string | undefined;
  readonly timeoutMs?: number;
}

const LONGEST_REASON = 200;

export function createCodeExchange({ issuer, clientId, redirectUri, tokenEndpoint, timeoutMs = 5_000 }: CodeExchangeOptions): CodeExchange {
  return async (code, codeVerifier) => {
    const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code, code_verifier: codeVerifier };
    const { status, body } = await reachProvider(async () => {
      const endpoint = tokenEndpoint ?? readTokenEndpoint(await fetchDiscovery(issuer, timeoutMs), issuer);
      return await requestProvider(endpoint, timeoutMs, form);
    });
    if (status >= 500) throw new MarketError('idp_unavailable');
    if (status !== 200) throw refusal(body);
    const { data: given } = tokenAnswer.safeParse(body);
    const token = [given?.access_token, given?.id_token].find(isReadable);
    if (token === undefined) throw new MarketError('sign_in_refused', { message: 'The identity provider gave no token that names you.' });
    return token;
  };
}

async function reachProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new MarketError('idp_unavailable', { cause });
  }
}

const tokenAnswer = z.object({ access_token: z.string().optional(), id_token: z.string().optional() });
const refusalAnswer = z.object({ error: z.string(), error_description: z.string().optional() });

function refusal(body: unknown): MarketError {
  const { data } = refusalAnswer.safeParse(body);
  if (data === undefined) return new MarketError('sign_in_refused');
  const reason = (data.error_description ?? data.error).slice(0, LONGEST_REASON);
  return new MarketError('sign_in_refused', { message: `The identity provider refused the code: ${reason}. Start the sign-in again.` });
}

/** Many providers issue opaque access tokens. The market needs a JWT that names the person, so it then uses the id token. */
function isReadable(token: string | undefined): token is string {
  return token !== undefined && token.split('.').length === 3;
}

function readTokenEndpoint(document: unknown, issuer: string): string {
  const found = z.object({ issuer: z.literal(issuer), token_endpoint: z.url({ protocol: /^https?$/ }) }).parse(document);
  if (issuer.startsWith('https:') && !found.token_endpoint.startsWith('https:'))
    throw new Error('The provider names a token_endpoint without TLS.');
  return found.token_endpoint;
}
