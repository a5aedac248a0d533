/** The words of the move panel: whose turn it is, what comes next, and what happens if nobody acts. */
import { contestSentence, type OrderCommand, type OrderStatus, orderDurations } from '@market/contract';
import { formatHours, parseTime } from '../../../../ui/words/format.ts';
import { transferSentence } from '../money/transfer-words.ts';
import { countOpenRequests, isWorkspace, mustAgree, type OrderView } from '../order-view.ts';
import type { SentenceParts } from '../sentence-parts.ts';

export interface MoveWords {
  readonly title: string;
  readonly text?: string;
}

type Side = OrderView['viewer_role'];

export function moveWords(view: OrderView, format: SentenceParts): MoveWords {
  if (view.order.payment_reverted)
    return {
      title: 'Standing still',
      text: 'The chain took the payment back. Nothing can be done with this order until the payment is there again.',
    };
  if (view.order.overdue) return overdueMove(view, format);
  if (mustAgree(view)) return longerQuote(view);
  return view.order.status === 'in_progress' && isWorkspace(view)
    ? workspaceMove(view)
    : titles(view, format)[view.order.status][view.viewer_role];
}

/** The provider quoted a longer time after the first quote. The payment may be on its way already. */
function longerQuote({ order }: OrderView): MoveWords {
  const time = formatHours(order.turnaround_hours);
  return {
    title: 'Your move: agree to the longer time',
    text: `${order.provider_name} now asks for ${time} instead of the time quoted before. Agree to it, then pay. If you have sent the money already, the same transfer pays.`,
  };
}

/** For orders paid at hire and past their deadline. Explains the limits of a dispute before one is opened. */
function overdueMove(view: OrderView, format: SentenceParts): MoveWords {
  const { order, viewer_role } = view;
  const since = order.overdue_since === null ? '' : ` since ${format.time(order.overdue_since)}`;
  const disputed = order.status === 'disputed';
  if (viewer_role === 'seller')
    return {
      title: disputed ? 'Overdue and in dispute' : 'Your move: deliver, overdue',
      text: `Overdue${since}. You were paid at hire, and this counts against you until you deliver.`,
    };
  if (viewer_role === 'admin' && disputed)
    return {
      title: 'Your move: rule',
      text: `Overdue${since}. The provider was paid at hire: a ruling can close the order, it cannot bring the money back.`,
    };
  return {
    title: disputed ? 'Overdue and in dispute' : 'Overdue',
    text: `Overdue${since}. ${order.provider_name} was paid at hire and still owes the work. A ruling can close the order, it cannot bring the money back.`,
  };
}

function workspaceMove(view: OrderView): MoveWords {
  const open = countOpenRequests(view);
  const waiting = open === 1 ? 'One request waits' : `${open} requests wait`;
  if (view.viewer_role === 'buyer')
    return {
      title: 'Your workspace is open',
      text: open === 0 ? 'Ask for as many outputs as the quota and the time allow.' : `${waiting} for ${view.order.provider_name}.`,
    };
  if (view.viewer_role === 'seller' && open > 0) return { title: 'Your move: answer', text: `${waiting} for an answer.` };
  return { title: 'The workspace is open', text: open === 0 ? 'No request waits for an answer.' : `${waiting} for an answer.` };
}

function titles(view: OrderView, format: SentenceParts): Readonly<Record<OrderStatus, Readonly<Record<Side, MoveWords>>>> {
  const { order, money } = view;
  const provider = order.provider_name;
  const buyer = order.client_name;
  const atHire = money.state === 'paid_at_hire';
  const same = (words: MoveWords) => ({ buyer: words, seller: words, admin: words });
  const toPay = `Your move: pay ${format.amount(money.price_usd)}`;
  return {
    pending_quote: {
      buyer: {
        title: 'Waiting for a price',
        text: `${provider} names a price; you are notified when it is there. Nothing is paid before you agree to it.`,
      },
      seller: { title: 'Your move: name a price', text: `${buyer} waits for it. Nothing is paid before the buyer agrees.` },
      admin: { title: 'Waiting on the provider', text: `${provider} has not named a price yet.` },
    },
    quoted: {
      buyer: { title: toPay, text: `The money is held until you accept the work. ${provider} starts when it has arrived.` },
      seller: { title: 'Waiting for the payment', text: `${buyer} has the price. You are notified when it is paid.` },
      admin: { title: 'Waiting on the buyer', text: 'The price is there and not paid.' },
    },
    accepted: {
      buyer: { title: toPay, text: `You agreed to the price. ${provider} starts when the money is held.` },
      seller: { title: 'Agreed, waiting for the payment', text: `${buyer} agreed to the price and has not paid yet.` },
      admin: { title: 'Waiting on the buyer', text: 'Agreed and not paid.' },
    },
    paid: {
      buyer: {
        title: `Waiting for ${provider} to start`,
        text: atHire
          ? `${provider} was paid at hire and owes you the work.`
          : 'Your money is held. Until work starts you can cancel and get all of it back.',
      },
      seller: {
        title: 'Your move: start',
        text: atHire
          ? 'You were paid at hire and owe the work.'
          : 'The money is held. Once you start, the buyer can no longer cancel alone.',
      },
      admin: { title: 'Waiting on the provider', text: 'Paid, work has not started.' },
    },
    in_progress: {
      buyer: { title: `${provider} is at work`, text: 'You are notified when something is delivered.' },
      seller: { title: 'Your move: deliver', text: `After delivery the buyer has ${orderDurations.reviewHours} hours to check the work.` },
      admin: { title: 'Waiting on the provider', text: 'Work has started.' },
    },
    delivered: {
      buyer: { title: 'Your move: check the work' },
      seller: { title: `In review by ${buyer}` },
      admin: { title: 'Waiting on the buyer' },
    },
    revision_requested: {
      buyer: { title: `${provider} revises the work` },
      seller: { title: 'Your move: deliver the revision' },
      admin: { title: 'Waiting on the provider' },
    },
    disputed: {
      buyer: { title: 'In dispute', text: 'Nothing is released until an operator rules.' },
      seller: { title: 'In dispute', text: 'Nothing is released until an operator rules.' },
      admin: { title: 'Your move: rule', text: 'Both sides wait for the ruling.' },
    },
    completed: same({ title: 'Completed', text: completedWords(view, format) }),
    cancelled: same({ title: 'Cancelled', text: cancelledWords(view, format) }),
  };
}

function completedWords(view: OrderView, format: SentenceParts): string {
  const { order, money, viewer_role } = view;
  const payout = transferSentence(
    format.amount(money.released_usd),
    money.payout,
    viewer_role === 'seller' ? 'you' : order.provider_name,
    format,
  );
  return money.state === 'split' ? `${payout} ${refundWords(view, format)}` : payout;
}

function cancelledWords(view: OrderView, format: SentenceParts): string {
  return view.money.state === 'refunded' ? refundWords(view, format) : 'Nothing was paid.';
}

function refundWords({ money, viewer_role }: OrderView, format: SentenceParts): string {
  return transferSentence(format.amount(money.refunded_usd), money.refund, viewer_role === 'buyer' ? 'you' : 'the buyer', format);
}

/** Shown while the payment can be contested; undefined when it cannot, or no longer. */
export function contestWords({ order, money, viewer_role }: OrderView, format: SentenceParts, now: number): string | undefined {
  const until = order.contestable_until;
  if (until === null || money.state === 'paid_at_hire' || parseTime(until).getTime() <= now) return undefined;
  return contestSentence(viewer_role, format.time(until));
}

/** The next automatic step as a sentence; undefined if there is none. */
export function silenceWords({ clock, order, money, viewer_role }: OrderView, format: SentenceParts): string | undefined {
  if (clock === null) return undefined;
  const at = format.time(clock.at);
  const [buyer, seller] = [viewer_role === 'buyer', viewer_role === 'seller'];
  switch (clock.action) {
    case 'auto_release': {
      const who = buyer ? 'you do nothing' : 'the buyer does nothing';
      const to = seller ? 'you' : order.provider_name;
      if (money.state === 'paid_at_hire') return `If ${who}, the order completes on ${at}. ${order.provider_name} was paid at hire.`;
      return `If ${who}, ${format.amount(money.provider_usd)} goes to ${to} on ${at} and cannot be called back.`;
    }
    case 'expire':
      return `${order.due_at === null ? '' : `Promised by ${format.time(order.due_at)}. `}If nothing is delivered by ${at}, the order is cancelled and ${format.amount(money.held_usd)} goes back to ${buyer ? 'you' : 'the buyer'}.`;
    case 'mark_overdue':
      return `${order.due_at === null ? '' : `Promised by ${format.time(order.due_at)}. `}If nothing is delivered by ${at}, the order is overdue and ${buyer ? 'you can' : 'the buyer can'} open a dispute.`;
    case 'escalate':
      return `If nothing is delivered by ${at}, the order goes to dispute.`;
    case 'finish_workspace':
      return `The workspace ends on ${at}. Then ${buyer ? 'you have' : 'the buyer has'} ${orderDurations.reviewHours} hours to check what it brought.`;
    default:
      return clock.meaning;
  }
}

/** Why an action that people look for is missing in this state. The server explains only blocked actions, and these are not among them. */
export function closedActs({ order, viewer_role }: OrderView): readonly { readonly action: OrderCommand; readonly reason: string }[] {
  if (viewer_role !== 'buyer') return [];
  const working = order.status === 'in_progress' || order.status === 'revision_requested';
  if (!working && order.status !== 'delivered') return [];
  const instead = order.status === 'delivered' ? 'Ask for a revision or open a dispute instead.' : 'The provider can still refund.';
  return [
    { action: 'cancel', reason: `Closed when work started. ${instead}` },
    { action: 'review', reason: 'Opens when the order is completed.' },
  ];
}
