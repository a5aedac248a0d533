/**
 * After a restore, deadlines have passed while nothing ran, and acts since the backup are lost. Without a grace, timers would release a
 * disputed order or refund a delivered one at the start. One statement per table, in the order in which steps lock their rows.
 */
import { restoredEnds, toWireTime } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { extendBounties } from '../bounties/index.ts';
import { extendDisputes } from '../orders/disputes/index.ts';
import { extendOrders } from '../orders/index.ts';
import { extendRequests } from '../orders/workspaces/index.ts';
import { extendContests } from '../payments/index.ts';

export interface MovedDeadlines {
  /** Wire time before which no open deadline ends. */
  readonly notBefore: string;
  readonly orders: number;
  readonly requests: number;
  readonly contests: number;
  readonly disputes: number;
  /** Bounties and claims. */
  readonly bounties: number;
}

/** `overBy`: a deadline that was over then was over in the backup. */
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
