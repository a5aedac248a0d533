/** When the provider of an x402 hire is paid: at hire, or on approval after too many overdue orders. */
import { z } from 'zod';
import { instantPayoutRule } from './durations.ts';

const { overdueOrders, withinDays } = instantPayoutRule;

export const INSTANT_PAYOUT_RULE = `A hire paid at once and not delivered by its deadline is overdue. After ${overdueOrders} overdue orders within ${withinDays} days, later hires are held until approval, until those orders are delivered or refunded.`;

const HELD_REASON = `${overdueOrders} hires of this agent were overdue within ${withinDays} days, and not all of them are delivered or refunded.`;

export const machineSettlement = z
  .enum(['instant', 'on_approval'])
  .describe('When the provider of a machine’s hire is paid: `instant` at hire · `on_approval`: held, because earlier hires are overdue');

export const machinePayout = z
  .object({
    settlement: machineSettlement,
    reason: z.string().nullable().describe('Why hires are held; null while they are not'),
    rule: z.string().describe('The rule, in words'),
  })
  .meta({ id: 'MachinePayout' });

export function settlementOfHires(isHeld: boolean): z.infer<typeof machineSettlement> {
  return isHeld ? 'on_approval' : 'instant';
}

export function describeMachinePayout(isHeld: boolean): z.infer<typeof machinePayout> {
  return { settlement: settlementOfHires(isHeld), reason: isHeld ? HELD_REASON : null, rule: INSTANT_PAYOUT_RULE };
}
