/**
 * Withholds the results of a contestable order from its buyer, the payer included. Reading confirms nothing, so a payer could read the work
 * and take the payment back. Once the payer confirms, everything is shown. Once the payer takes the payment back, nobody paid, and the
 * results stay with the provider.
 */
import { type OrderRole, toWireTime } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { OrderRow } from '../repository.ts';
import { isContestable } from './contestable.ts';
import { requireParty } from './parties.ts';

/** The role in which somebody reads an order. */
export interface Viewer {
  readonly role: OrderRole;
  /** The provider, or an administrator. */
  readonly seesResults: boolean;
}

/** Throws for strangers. */
export function viewerOf(caller: Caller, order: OrderRow): Viewer {
  const roles = requireParty(caller, order);
  return { role: roles[0], seesResults: roles.some((role) => role !== 'buyer') };
}

/** Whether the results are withheld from this viewer. */
export function isWithheld(order: OrderRow, viewer: Pick<Viewer, 'seesResults'>): boolean {
  return withheldUntil(order, viewer) !== null || (!viewer.seesResults && isTakenBack(order));
}

/** True after the payer claimed the transfer for another request: only that leaves a hire by machine without payment. */
function isTakenBack({ kind, status, paymentReference }: OrderRow): boolean {
  return kind === 'machine' && status === 'cancelled' && paymentReference === null;
}

/** Until when the results are withheld from this viewer; null where they are shown, or never will be. */
export function withheldUntil(order: OrderRow, { seesResults }: Pick<Viewer, 'seesResults'>): Date | null {
  return !seesResults && isContestable(order) ? order.contestableUntil : null;
}

/** For events, which go to all buyers alike: names the time, never holds the result. */
export function withheldMark(order: OrderRow): { readonly withheld_until?: string } {
  const until = withheldUntil(order, { seesResults: false });
  return until === null ? {} : { withheld_until: toWireTime(until) };
}
