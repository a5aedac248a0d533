/**
 * Sends an order's token with each request. An ended token would be refused even beside the buyer's own session, so the request is repeated
 * without it. If that is refused, too, the first refusal says what to do.
 */
export function orderTokenFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.status !== 401 || !(await isTokenRefused(response))) return response;
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    const without = await send(input, { ...init, headers });
    return without.status === 401 ? response : without;
  };
}

async function isTokenRefused(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { code?: unknown } | undefined)?.code === 'invalid_order_token';
}
