/** Sign-in at the identity provider: redirect with a challenge (PKCE), return with a code, exchange the code for a token. */

export interface Provider {
  readonly issuer: string;
  readonly clientId: string;
}

interface Started {
  readonly state: string;
  readonly verifier: string;
  readonly next: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
const MEMORY = 'market.sign-in';

/** Returns the provider's URL to open. */
export async function beginSignIn(provider: Provider, returnTo: string, next: string, store: Store): Promise<string> {
  const started: Started = { state: randomText(), verifier: randomText(), next };
  store.setItem(MEMORY, JSON.stringify(started));
  const { authorization_endpoint: endpoint } = await discover(provider);
  const url = new URL(endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: returnTo,
    scope: 'openid profile email',
    state: started.state,
    code_challenge: await challengeOf(started.verifier),
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}

export interface Returned {
  readonly accessToken: string;
  readonly next: string;
}

/**
 * Throws an explanation when the provider refused, or when this browser did not start the sign-in. The market exchanges the code, because
 * few providers let pages do it.
 */
export async function finishSignIn(
  provider: Provider,
  answer: URLSearchParams,
  store: Store,
  exchange: (code: string, codeVerifier: string) => Promise<string>,
): Promise<Returned> {
  const started = readStarted(store);
  store.removeItem(MEMORY);
  const refusal = answer.get('error');
  if (refusal !== null) throw new Error(`The provider did not sign you in: ${answer.get('error_description') ?? refusal}. Try again.`);
  if (started === undefined || started.state !== answer.get('state') || (answer.get('iss') ?? provider.issuer) !== provider.issuer) {
    throw new Error('This sign-in was not started in this tab, or was finished before. Start again.');
  }
  const accessToken = await exchange(answer.get('code') ?? '', started.verifier);
  return { accessToken, next: started.next };
}

async function discover({ issuer }: Provider): Promise<{ readonly authorization_endpoint: string }> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const found = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const { authorization_endpoint } = found;
  if (typeof authorization_endpoint !== 'string') {
    throw new Error('The identity provider cannot be reached. Try again shortly, or sign in with a wallet.');
  }
  return { authorization_endpoint };
}

function readStarted(store: Store): Started | undefined {
  try {
    return (JSON.parse(store.getItem(MEMORY) ?? 'null') as Started | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}
