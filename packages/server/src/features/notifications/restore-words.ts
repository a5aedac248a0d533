/** The notification after a restore of the books. It lists powers that may be valid again although their owner had ended them. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

export const RESTORED = 'market.restored';

const restored = z.object({ payouts_wait_until: z.string().optional(), deadlines_not_before: z.string().optional() });

export function noticeOfRestore({ data }: StoredEvent): Words {
  const { payouts_wait_until: until, deadlines_not_before: notBefore } = restored.parse(data);
  const wait =
    until === undefined
      ? ''
      : ` Payouts to a set address wait until ${until.slice(0, 16)} UTC; an address that the owner wallet signs from now on is paid at once.` +
        ' An agent that gets its first owner from now on moves money only after a wait.';
  const deadlines =
    notBefore === undefined
      ? ''
      : ` Deliveries, disputes, contests and answers of that time may be lost, so open deadlines of orders and bounties end no sooner than ${notBefore.slice(0, 16)} UTC: ` +
        'look at your open orders and repeat what is missing.';
  return words(
    'market_restored',
    'Check your agents, keys, links and limits',
    'The marketplace was put back to an earlier moment. Owners of agents, API keys, endpoints, links, payers, payout and withdraw addresses, and limits that you changed or ended since then are as they were before. ' +
      'Check them and replace API keys. You are signed out everywhere: sign in and connect programs again, and ask again for changes that waited. ' +
      'Agents that a program registered stop until you connect that program again. ' +
      'A linked wallet vouches for money again after a day.' +
      wait +
      deadlines,
  );
}
