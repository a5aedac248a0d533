/** The texts a wallet signs. Server, SDK and site all take them from here. */

/** Body fields that carry a wallet signature; they are not part of what a custody signature covers. */
export const signatureFields = ['wallet', 'wallet_sig', 'wallet_sig_ts', 'wallet_chain', 'signed_message'] as const;

export function ordinarySignedText(wallet: string, timestampMs: number): string {
  return `market:${wallet}:${timestampMs}`;
}

/** Names the site and the call, so that a signature made for another site or call is useless here. */
export function siteSignedText(request: { wallet: string; timestampMs: number; host: string; method: string; path: string }): string {
  return `${ordinarySignedText(request.wallet, request.timestampMs)}:${request.host}:${request.method} ${request.path}`;
}

/** Names site, call and body: good for this one action here. */
export async function custodySignedText(request: {
  host: string;
  wallet: string;
  timestampMs: number;
  method: string;
  path: string;
  body: unknown;
}): Promise<string> {
  const digest = await sha256Hex(canonicalJson(withoutSignatureFields(request.body)));
  return `market:${request.host}:${request.wallet}:${request.timestampMs}:${request.method} ${request.path}:${digest}`;
}

/** Keys sorted at every level, no white space, so that two honest parties always hash the same bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value);
}

function withoutSignatureFields(body: unknown): unknown {
  if (body === null || body === undefined) return {};
  if (typeof body !== 'object' || Array.isArray(body)) return body;
  const carriers: readonly string[] = signatureFields;
  return Object.fromEntries(Object.entries(body).filter(([key]) => !carriers.includes(key)));
}

async function sha256Hex(input: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(input));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
