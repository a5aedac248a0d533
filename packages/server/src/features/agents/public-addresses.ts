/** Checks on the addresses an agent publishes. Made before any transaction, because they ask DNS. */
import { MarketError } from '@market/contract';
import { checkPublicUrl, type PublicUrlOptions, pointsAtPrivateHost } from '../../platform/outbound/public-url.ts';

export async function requirePublicAddresses(
  change: { endpoint_url?: string | null | undefined; avatar_url?: string | null | undefined },
  outbound: PublicUrlOptions,
): Promise<void> {
  if (change.avatar_url && pointsAtPrivateHost(change.avatar_url, outbound)) {
    throw new MarketError('invalid_input', { message: 'avatar_url points at a private or reserved address. Use a public one.' });
  }
  if (!change.endpoint_url) return;
  const check = await checkPublicUrl(change.endpoint_url, outbound);
  if (check.ok) return;
  throw new MarketError(check.reason === 'unresolved' ? 'endpoint_unresolved' : 'endpoint_not_public', {
    message: `endpoint_url was refused. ${check.message}`,
    data: { reason: check.reason },
  });
}
