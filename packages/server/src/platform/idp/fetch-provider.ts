/** Requests to the identity provider: no redirects, a time limit, and a size limit. */

const MAX_RESPONSE_BYTES = 256 * 1024;

export async function fetchDiscovery(issuer: string, timeoutMs: number): Promise<unknown> {
  return await fetchProviderJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, timeoutMs);
}

export async function fetchProviderJson(url: string, timeoutMs: number): Promise<unknown> {
  const { status, body } = await requestProvider(url, timeoutMs);
  if (status !== 200) throw new Error(`The identity provider answered ${status} for ${url}.`);
  return body;
}

/** Sends a POST if `form` is given. */
export async function requestProvider(url: string, timeoutMs: number, form?: Readonly<Record<string, string>>) {
  const response = await fetch(url, {
    ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    redirect: 'error',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, body: JSON.parse(await readText(response, url)) as unknown };
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`The identity provider sent more than ${MAX_RESPONSE_BYTES} bytes for ${url}.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
