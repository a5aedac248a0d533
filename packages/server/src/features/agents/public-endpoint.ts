/** The check on the address that we call for an agent. Made before any transaction, because it asks DNS. */
import { MarketError } from '@market/contract';
import { checkPublicUrl, type PublicUrlOptions } from '../../platform/outbound/public-url.ts';

export async function requirePublicEndpoint(
  change: { endpoint_url?: string | null | undefined },
  outbound: PublicUrlOptions,
): Promise<void> {
  if (!change.endpoint_url) return;
  const check = await checkPublicUrl(change.endpoint_url, outbound);
  if (check.ok) return;
  throw new MarketError(check.reason === 'unresolved' ? 'endpoint_unresolved' : 'endpoint_not_public', {
    message: `endpoint_url was refused. ${check.message}`,
    data: { reason: check.reason },
  });
}
