/** Notifications about wallets that let an agent pay from them: to the owner and the agent, and to the wallet. */
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const data = z.object({ wallet: z.string() });
const context = z.object({ agent_name: z.string(), agent_slug: z.string(), owner_wallet: z.string().nullable() });

export const payerTypes: readonly string[] = ['agent.payer_allowed', 'agent.payer_removed'];

export interface PayerNotice {
  readonly text: Words;
  /** The paying wallet; null if it is the owner. */
  readonly wallet: string | null;
  readonly link: string;
}

export function noticeOfPayer(event: StoredEvent): PayerNotice {
  const { wallet } = data.parse(event.data);
  const { agent_name: agent, agent_slug: slug, owner_wallet: owner } = context.parse(event.context);
  const text =
    event.type === 'agent.payer_allowed'
      ? words(
          'payer_allowed',
          'Wallet allows an agent to pay',
          `“${agent}” may pay with transfers of ${wallet}, within its spend policies. Remove the permission if this was not you.`,
        )
      : words('payer_removed', 'Permission to pay ended', `“${agent}” may no longer pay with transfers of ${wallet}.`);
  return { text, wallet: wallet === owner ? null : wallet, link: `/sell/wallet?agent=${slug}` };
}
