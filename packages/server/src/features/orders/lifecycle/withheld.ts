/** Results of a contestable order are withheld from buyers that did not prove to be the payer: otherwise they read the work and take the payment back. */
import { type OrderRole, toWireTime } from '@market/contract';
import type { Caller } from '../../../access/caller.ts';
import type { OrderRow } from '../repository.ts';
import { isContestable } from './contestable.ts';
import { isPayer, requireParty } from './parties.ts';

/** The side on which somebody reads an order. */
export interface Viewer {
  readonly role: OrderRole;
  /** Proven as the payer, or the provider or an administrator as well. */
  readonly seesResults: boolean;
}

/** Throws for strangers. */
export function viewerOf(caller: Caller, order: OrderRow): Viewer {
  const roles = requireParty(caller, order);
  return { role: roles[0], seesResults: isPayer(caller, order) || roles.some((role) => role !== 'buyer') };
}

/** Until when the results are withheld from this viewer; null where they are shown. */
export function withheldUntil(order: OrderRow, { seesResults }: Pick<Viewer, 'seesResults'>): Date | null {
  return !seesResults && isContestable(order) ? order.contestableUntil : null;
}

/** For events, which go to all buyers alike: names the time, never holds the result. */
export function withheldMark(order: OrderRow): { readonly withheld_until?: string } {
  const until = withheldUntil(order, { seesResults: false });
  return until === null ? {} : { withheld_until: toWireTime(until) };
}
