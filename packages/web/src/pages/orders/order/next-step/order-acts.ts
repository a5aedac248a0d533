/**
 * The texts of each action on an order: its name, its effect on the money, and whether it can be undone. The server decides which actions
 * are allowed; only the texts are here.
 */
import { type OrderCommand, orderCalls, orderDurations } from '@market/contract';
import type { AskName } from '../../../../data/answers.ts';
import { shorten } from '../../../../ui/words/format.ts';
import { mustAgree, type OrderView, roundWords } from '../order-view.ts';
import type { SentenceParts } from '../sentence-parts.ts';

/** Actions that take at most one text. Those with forms of their own are quote, deliver, pay, review, the workspace and the ruling. */
export type PlainAct =
  | 'accept'
  | 'start'
  | 'approve'
  | 'revision'
  | 'allow_revision'
  | 'dispute'
  | 'withdraw_dispute'
  | 'cancel'
  | 'decline'
  | 'refund';

/** The operation of each action, by the contract. */
export const actOperations = {
  accept: orderCalls.accept.operation,
  start: orderCalls.start.operation,
  approve: orderCalls.approve.operation,
  revision: orderCalls.revision.operation,
  allow_revision: orderCalls.allow_revision.operation,
  dispute: orderCalls.dispute.operation,
  withdraw_dispute: orderCalls.withdraw_dispute.operation,
  cancel: orderCalls.cancel.operation,
  decline: orderCalls.decline.operation,
  refund: orderCalls.refund.operation,
} as const satisfies Record<PlainAct, AskName>;

export function isPlainAct(action: OrderCommand): action is PlainAct {
  return Object.hasOwn(actOperations, action);
}

export interface ActText {
  readonly field: 'reason' | 'feedback';
  readonly label: string;
  readonly hint?: string;
  readonly required: boolean;
  readonly maxLength: number;
}

export interface ActWords {
  readonly button: string;
  /** A short label for the bar on phones. */
  readonly short: string;
  readonly done: string;
  /** The confirmation: what happens to the money, its receiver, whether it can be undone. */
  readonly confirm?: { readonly title: string; readonly consequences: readonly string[]; readonly text?: ActText };
}

/** Names in the list of unavailable actions. */
export const actNames: Readonly<Record<OrderCommand, string>> = {
  quote: 'Name a price',
  accept: 'Agree',
  pay: 'Pay',
  open_workspace: 'Open the workspace',
  start: 'Start',
  deliver: 'Deliver',
  answer_request: 'Answer a request',
  generate: 'Ask for an output',
  finish_workspace: 'End the workspace',
  approve: 'Accept',
  auto_release: 'Release',
  revision: 'Ask for a revision',
  allow_revision: 'Allow a revision',
  dispute: 'Open a dispute',
  withdraw_dispute: 'Withdraw the dispute',
  cancel: 'Cancel',
  decline: 'Decline',
  refund: 'Refund',
  expire: 'Expire',
  mark_overdue: 'Mark as overdue',
  contest: 'Claim the payment elsewhere',
  escalate: 'Go to dispute',
  rule_release: 'Rule: release',
  rule_refund: 'Rule: refund',
  rule_split: 'Rule: split',
  review: 'Leave a review',
};

const NO_WAY_BACK = 'The order ends. It cannot be opened again.';

export function wordsOfAct(act: PlainAct, view: OrderView, format: SentenceParts): ActWords {
  const { order, money } = view;
  const provider = order.provider_name;
  switch (act) {
    case 'accept':
      return { button: mustAgree(view) ? 'Agree' : 'Agree, pay later', short: 'Agree', done: 'Agreed. Nothing is paid yet.' };
    case 'start':
      return { button: 'Start work', short: 'Start work', done: 'Started. The buyer can no longer cancel alone.' };
    case 'approve':
      return approval(view, format);
    case 'revision':
      return {
        button: 'Ask for a revision',
        short: 'Revision',
        done: `Revision asked. ${provider} has ${orderDurations.revisionDays} days.`,
        confirm: {
          title: 'Ask for a revision',
          consequences: [
            `Revision ${roundWords(order, order.revision_count + 1)}. ${provider} has ${orderDurations.revisionDays} days to deliver again; until then nothing is released.`,
            'What is not answered in time goes to dispute.',
          ],
          text: { field: 'feedback', label: 'What should be different', required: true, maxLength: 2000 },
        },
      };
    case 'allow_revision':
      return {
        button: 'Allow one more revision',
        short: 'Allow a revision',
        done: 'One more revision is allowed.',
        confirm: {
          title: 'Allow one more revision',
          consequences: [`${order.client_name} may ask for one round beyond the agreed ${order.max_revisions}. This cannot be taken back.`],
        },
      };
    case 'dispute': {
      const atHire = money.state === 'paid_at_hire';
      return {
        button: 'Open a dispute',
        short: 'Dispute',
        done: atHire ? 'Dispute opened. Both sides state their case.' : 'Dispute opened. Nothing is released until it is ruled.',
        confirm: {
          title: 'Open a dispute',
          consequences: [
            atHire
              ? `${provider} was paid when you hired. An operator can close the order; a ruling cannot bring the money back.`
              : `The clock stops and ${format.amount(money.held_usd)} stays held. Both sides state their case, then an operator rules: release, refund, or split.`,
            'You can withdraw it until the ruling. The ruling is final.',
          ],
          text: {
            field: 'reason',
            label: 'What is wrong',
            hint: `${provider} can read it.`,
            required: true,
            maxLength: 2000,
          },
        },
      };
    }
    case 'withdraw_dispute':
      if (order.overdue)
        return {
          button: 'Withdraw the dispute',
          short: 'Withdraw',
          done: 'Withdrawn. The order is still overdue.',
          confirm: {
            title: 'Withdraw the dispute',
            consequences: [`${provider} still owes the work. You can open another dispute while it is overdue.`],
          },
        };
      return {
        button: 'Withdraw the dispute',
        short: 'Withdraw',
        done: 'Withdrawn. The order is delivered again.',
        confirm: {
          title: 'Withdraw the dispute',
          consequences: [
            `The order is delivered again. You have at least ${orderDurations.leastReviewHours} hours to accept, ask for a revision, or open another dispute.`,
            `If you do nothing then, ${format.amount(money.provider_usd)} goes to ${provider}.`,
          ],
        },
      };
    case 'cancel':
      return ending('Cancel the order', 'Cancelled', view, format);
    case 'decline':
      return ending('Decline the order', 'Declined', view, format);
    case 'refund':
      return {
        ...ending(`Refund ${format.amount(money.held_usd)}`, 'Refunded', view, format),
        button: `Refund ${format.amount(money.held_usd)} and end the order`,
      };
  }
}

function approval({ order, money }: OrderView, format: SentenceParts): ActWords {
  const provider = order.provider_name;
  if (money.state === 'paid_at_hire')
    return {
      button: 'Accept the work',
      short: 'Accept',
      done: 'Accepted. The order is completed.',
      confirm: {
        title: 'Accept the work',
        consequences: [`${provider} was paid when you hired, so no money moves. The order is completed; this cannot be taken back.`],
      },
    };
  const amount = format.amount(money.provider_usd);
  return {
    button: `Accept and release ${amount}`,
    short: `Accept, release ${amount.replace(' USDC', '')}`,
    done: `Accepted. ${amount} released to ${provider}.`,
    confirm: {
      title: `Release ${amount} to ${provider}`,
      consequences: [
        `${amount} goes to ${provider}, ${format.amount(money.fee_usd)} is the fee. The order is completed.`,
        'Released money cannot be called back.',
      ],
    },
  };
}

/** Actions that end an order and refund the payer. */
function ending(title: string, done: string, { order, money, viewer_role }: OrderView, format: SentenceParts): ActWords {
  const held = Number(money.held_usd) > 0;
  const receiver = order.payer_address === null ? 'the wallet that paid' : `the wallet that paid, ${shorten(order.payer_address)}`;
  const back = viewer_role === 'seller' ? 'You get nothing for this order.' : '';
  return {
    button: held ? `${title}, refund ${format.amount(money.held_usd)}` : title,
    short: title,
    done: held ? `${done}. ${format.amount(money.held_usd)} is on its way back.` : `${done}. Nothing was paid.`,
    confirm: {
      title,
      consequences: [
        held ? `${format.amount(money.held_usd)} goes back to ${receiver}. ${back}`.trim() : 'Nothing was paid, so no money moves.',
        NO_WAY_BACK,
      ],
      text: { field: 'reason', label: 'Reason', hint: 'The other side can read it.', required: false, maxLength: 1000 },
    },
  };
}
