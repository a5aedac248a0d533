/**
 * Deadlines ran on while nothing ran, and what people did in time after the backup is lost. Without a grace the timers would overrule it at the
 * start: release an order that was disputed, refund one that was delivered. One statement per table, in the order in which steps lock their rows.
 */
import { restoredEnds, toWireTime } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { extendBounties } from '../bounties/index.ts';
import { extendDisputes } from '../disputes/index.ts';
import { extendOrders } from '../orders/index.ts';
import { extendContests } from '../payments/index.ts';
import { extendRequests } from '../workspaces/index.ts';

export interface MovedDeadlines {
  /** Wire time; nothing that was open ends sooner. */
  readonly notBefore: string;
  readonly orders: number;
  readonly requests: number;
  readonly contests: number;
  readonly disputes: number;
  /** Bounties and claims. */
  readonly bounties: number;
}

/** `overBy`: what was over then was over in the backup. */
export async function extendDeadlines(
  tx: Tx,
  { clock, overBy }: { readonly clock: Clock; readonly overBy: Date },
): Promise<MovedDeadlines> {
  const ends = restoredEnds(clock.now());
  const { notBefore } = ends;
  return {
    notBefore: toWireTime(notBefore),
    orders: await extendOrders(tx, { ...ends, brokenBy: overBy }),
    requests: await extendRequests(tx, notBefore),
    contests: await extendContests(tx, { notBefore, overBy }),
    disputes: await extendDisputes(tx, notBefore),
    bounties: await extendBounties(tx, notBefore),
  };
}
