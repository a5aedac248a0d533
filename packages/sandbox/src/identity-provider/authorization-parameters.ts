// The parameters of an authorization request that this provider knows, and the checks that the library does not make.

export const SUPPORTED_SCOPES = ['openid', 'profile', 'email'];

export type AskedParameters = [name: string, value: string][];

/** Maximum length of a value, by parameter name. */
const MAX_LENGTHS = new Map([
  ['response_type', 300],
  ['client_id', 300],
  ['redirect_uri', 2_000],
  ['scope', 300],
  ['code_challenge', 300],
  ['code_challenge_method', 300],
  ['state', 2_000],
  ['nonce', 300],
]);

/** Lists known parameters in a fixed order, with repetitions. An empty value counts as absent (RFC 6749). */
export function listKnownParameters(sent: URLSearchParams): AskedParameters {
  return [...MAX_LENGTHS.keys()].flatMap((name) => {
    const values = sent.getAll(name).filter((value) => value !== '');
    return values.map((value): [string, string] => [name, value]);
  });
}

export function describeUnsupported(sent: URLSearchParams): string | undefined {
  if ((sent.get('response_mode') ?? 'query') !== 'query') return 'Only response_mode=query is supported.';
  if (sent.has('request') || sent.has('request_uri')) {
    return 'Send the parameters themselves: request and request_uri are not supported.';
  }
  const tooLong = listKnownParameters(sent).find(([name, value]) => value.length > (MAX_LENGTHS.get(name) ?? 0));
  return tooLong === undefined ? undefined : `${tooLong[0]} is longer than ${MAX_LENGTHS.get(tooLong[0])} characters.`;
}

export function isAllowedRedirect(redirectUri: unknown, allowedOrigins: readonly string[]): boolean {
  if (typeof redirectUri !== 'string' || redirectUri.length > 2_000 || redirectUri.includes('#')) return false;
  const url = URL.parse(redirectUri);
  return url !== null && /^https?:\/\//.test(redirectUri) && url.username + url.password === '' && allowedOrigins.includes(url.origin);
}
