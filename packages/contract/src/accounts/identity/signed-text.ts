/** Builds the texts that wallets sign, for server, SDK and site. */

/** Body fields that carry a wallet signature; they are not part of what a custody signature covers. */
export const signatureFields = ['wallet', 'wallet_sig', 'wallet_sig_ts', 'wallet_chain', 'signed_message'] as const;

export function ordinarySignedText(wallet: string, timestampMs: number): string {
  return `market:${wallet}:${timestampMs}`;
}

/** Contains host, method and path, so that a signature made for another site or call is invalid here. */
export function siteSignedText(request: { wallet: string; timestampMs: number; host: string; method: string; path: string }): string {
  return `${ordinarySignedText(request.wallet, request.timestampMs)}:${request.host}:${request.method} ${request.path}`;
}

/** Contains host, method, path and a hash of the body: valid for this one action only. */
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

/** Sorts keys at every level and omits white space, so that both sides hash the same bytes. */
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
