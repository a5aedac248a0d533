/** The history of an order as sentences. The last entry is the next automatic step. */
import type { OrderView } from '../order-view.ts';

type Entry = OrderView['timeline'][number];

/** An entry with a bold beginning and a plain rest. */
export interface EventWords {
  readonly what: string;
  /** Starts with its own comma or space. */
  readonly rest?: string;
}

export function eventWords(entry: Entry, view: OrderView): EventWords {
  const who = nameOf(entry.by, view);
  switch (entry.action) {
    case 'place':
      return { what: `${who} ordered`, rest: view.order.price_type === 'quote' ? ' and asked for a price' : ' at the listed price' };
    case 'hire':
      return { what: `${who} hired and paid`, rest: ' in one request' };
    case 'award':
      return { what: `${who} accepted the claim and paid`, rest: ', the money is held' };
    case 'quote':
      return { what: `${who} named a price` };
    case 'accept':
      return { what: `${who} agreed to the price` };
    case 'pay':
      return { what: 'Payment verified', ...(view.money.state !== 'paid_at_hire' && { rest: ', the money is held' }) };
    case 'open_workspace':
      return { what: 'Workspace opened' };
    case 'start':
      return { what: `${who} started` };
    case 'deliver':
      if (entry.from_status === 'disputed') return { what: `${who} delivered`, rest: ', the dispute goes on' };
      return { what: `${who} delivered`, ...(entry.from_status === 'delivered' && { rest: ' again, replacing what was there' }) };
    case 'generate':
      return { what: `${who} asked for an output` };
    case 'answer_request':
      return { what: `${who} answered a request` };
    case 'finish_workspace':
      return { what: 'The workspace ended', rest: ', the review window opened' };
    case 'review':
      return { what: `${who} reviewed it` };
    case 'approve':
      return { what: `${who} accepted`, rest: ', the money is released' };
    case 'auto_release':
      return { what: 'Released by the clock', rest: ', nobody objected in time' };
    case 'revision':
      return { what: `${who} asked for a revision` };
    case 'allow_revision':
      return { what: `${who} allowed one more revision` };
    case 'dispute':
      return { what: `${who} opened a dispute` };
    case 'withdraw_dispute':
      return { what: `${who} withdrew the dispute` };
    case 'cancel':
      return { what: `${who} cancelled` };
    case 'decline':
      return { what: `${who} declined` };
    case 'refund':
      return { what: `${who} refunded` };
    case 'expire':
      return { what: 'Cancelled by the clock', rest: ', not delivered in time' };
    case 'mark_overdue':
      return { what: 'Overdue', rest: ', not delivered by the deadline' };
    case 'contest':
      return { what: 'Cancelled', rest: ', the wallet that paid claimed its transfer for another request' };
    case 'escalate':
      return { what: 'Went to dispute', rest: ', the revision was not delivered in time' };
    case 'rule_release':
      return { what: 'Ruled: release', rest: ' to the provider' };
    case 'rule_refund':
      return { what: 'Ruled: refund', rest: ' to the buyer' };
    case 'rule_split':
      return { what: 'Ruled: split', rest: ' between both' };
    default:
      return { what: `${who}: ${entry.action.replaceAll('_', ' ')}` };
  }
}

function nameOf(by: Entry['by'], { order, viewer_role }: OrderView): string {
  if (by === 'buyer') return viewer_role === 'buyer' ? 'You' : order.client_name;
  if (by === 'provider') return viewer_role === 'seller' ? 'You' : order.provider_name;
  return by === 'admin' ? 'An operator' : 'The market';
}

/** The next automatic step, for the last entry. */
export function nextWords({ clock }: Pick<OrderView, 'clock'>): string | undefined {
  switch (clock?.action) {
    case undefined:
      return undefined;
    case 'auto_release':
      return 'Released by the clock, unless somebody acts first';
    case 'expire':
      return 'Cancelled and refunded, unless it is delivered first';
    case 'mark_overdue':
      return 'Overdue, unless it is delivered first';
    case 'escalate':
      return 'Goes to dispute, unless it is delivered first';
    case 'finish_workspace':
      return 'The workspace ends';
    default:
      return clock?.meaning;
  }
}
