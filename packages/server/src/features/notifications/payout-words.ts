/** Notifications to an owner, and to the wallets that watch its account, about a changed payout address. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const change = z.object({
  payout_wallet: z.string().nullable().optional(),
  payout_address_base: z.string().nullable().optional(),
  effective_at: z.string().optional(),
});
const named = z.object({ agent_name: z.string() });

export const payoutChangeTypes = ['agent.payout_change_requested', 'agent.payout_change_cancelled', 'agent.payout_changed'];

export function noticeOfPayoutChange(event: StoredEvent): Words {
  const { agent_name: agent } = named.parse(event.context);
  const { effective_at: at, ...addresses } = change.parse(event.data);
  const where = Object.values(addresses)
    .map((address) => address ?? 'the default address')
    .join(' and ');
  if (event.type === 'agent.payout_changed')
    return words('payout_changed', 'Payout address changed', `“${agent}” is paid to ${where} from now on.`);
  if (event.type === 'agent.payout_change_cancelled')
    return words('payout_change_cancelled', 'Change of the payout cancelled', `“${agent}” is still paid where it was paid before.`);
  return words(
    'payout_change_requested',
    'Payout address will change',
    `“${agent}” will be paid to ${where} from ${at?.slice(0, 16)} UTC on. If this was not you, cancel it now: on the site, or by DELETE /api/agents/${event.subjectId}/payout-change.`,
  );
}
