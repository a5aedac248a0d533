/** Notifications to a payer whose transfer was presented without proof. */
import { networkNames } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { chainName, type Words, words } from './words.ts';

export const PRESENTED_BARE = 'payment.presented_bare';

const presented = z.object({
  network: z.enum(networkNames).transform(chainName),
  reference: z.string(),
  payer: z.string(),
  purpose: z.string(),
  outcome: z.enum(['accepted', 'refused']),
  order_id: z.string().optional(),
  agent_id: z.string().optional(),
  contestable_until: z.string().nullable(),
});

export function noticeOfBarePayment(event: StoredEvent): Words {
  const { network, reference, payer, outcome, order_id, agent_id, contestable_until: until } = presented.parse(event.data);
  const transfer = `The transfer ${reference} of ${payer} on ${network}`;
  if (outcome === 'refused') {
    return words(
      'payment_presented',
      'Your transfer was presented without proof',
      `${transfer} was presented without a signature of that wallet, and refused. Nothing was used up. If it was you, repeat the request with a signature of that wallet.`,
    );
  }
  const what = agent_id === undefined ? `paid for the order ${order_id}` : `registered the agent ${agent_id}`;
  const choice =
    until === null
      ? 'It belongs to that wallet. Sign the same request to get it.'
      : `Sign the same request with that wallet to keep it, or your own request by ${until.slice(0, 16)} UTC to take the payment back.`;
  return words(
    'payment_presented',
    'Your transfer was presented without proof',
    `${transfer} ${what}, without a signature of that wallet. ${choice}`,
  );
}
