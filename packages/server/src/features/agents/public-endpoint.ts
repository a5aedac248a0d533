/** Checks the endpoint address of an agent. Asks DNS, so call it before any transaction. */
import { MarketError, WEBHOOKS_AT_HOME } from '@market/contract';
import { checkPublicUrl, type PublicUrlOptions } from '../../platform/outbound/public-url.ts';

export async function requirePublicEndpoint(
  change: { endpoint_url?: string | null | undefined },
  outbound: PublicUrlOptions,
): Promise<void> {
  if (!change.endpoint_url) return;
  const check = await checkPublicUrl(change.endpoint_url, outbound);
  if (check.ok) return;
  const refused = `endpoint_url was refused. ${check.message}`;
  const data = { reason: check.reason };
  if (check.reason === 'unresolved') throw new MarketError('endpoint_unresolved', { message: refused, data });
  throw new MarketError('endpoint_not_public', { message: `${refused} ${WEBHOOKS_AT_HOME}`, data });
}
