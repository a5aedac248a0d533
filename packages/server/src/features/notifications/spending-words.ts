/** Notifications to an owner about the spending of their agents and programs. */
import { type SpendingEventType, spendingEvents } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { excerpt, type Words, words } from './words.ts';

/** `name` is the quoted name of the agent or program. */
const notices: Readonly<{ [T in SpendingEventType]: (data: z.output<(typeof spendingEvents)[T]>, name: string) => Words }> = {
  'spending.approval_asked': ({ amount_usd, expires_at }, name) =>
    words(
      'spending_approval_asked',
      'Payment needs your approval',
      `${name} wants to pay ${amount_usd} USDC. Approve or decline it until ${expires_at.slice(0, 16)} UTC.`,
    ),
  'spending.approval_decided': ({ amount_usd, decision }, name) =>
    words(
      'spending_approval_decided',
      decision === 'approved' ? 'Payment approved' : 'Payment declined',
      decision === 'approved'
        ? `${name} may pay ${amount_usd} USDC, once. If this was not you, freeze its spending.`
        : `${name} may not pay ${amount_usd} USDC.`,
    ),
  'spending.policy_changed': ({ frozen, per_day_usd }, name) =>
    words(
      'spending_policy_changed',
      frozen ? 'Spending frozen' : 'Spending limits changed',
      frozen
        ? `${name} can pay nothing until you lift the freeze.`
        : `${name} may pay ${per_day_usd === null ? 'without a limit per day' : `${per_day_usd} USDC per day`}. If this was not you, sign in and change it back.`,
    ),
  'spending.agents_unlimited': ({ agents }) =>
    words(
      'spending_agents_unlimited',
      'Some of your agents have no spending limit',
      `You limit some of your agents. These have no policy of their own: ${agents.map(({ name }) => excerpt(name)).join(', ')}.`,
    ),
};

export const spendingTypes: readonly string[] = Object.keys(notices);

const named = z.object({ name: z.string() });

export function noticeOfSpending(event: StoredEvent): Words {
  const type = event.type as SpendingEventType;
  const write = notices[type] as (data: unknown, name: string) => Words;
  return write(spendingEvents[type].parse(event.data), excerpt(named.parse(event.context).name));
}
