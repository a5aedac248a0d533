/**
 * The life of an order as one table: each row says who may give a command, what must hold, where it leads and what it does to the money.
 * The server, the site and the tools ask `decide`; no other code knows these rules. `durations.ts` has the deadlines.
 */
import type { PriceType } from './durations.ts';
import { orderErrors } from './errors.ts';
import { type Guard, isOwed, type LifecycleFacts, lifecycleGuards, type OrderRefusal } from './lifecycle-guards.ts';
import type { OrderStatus } from './statuses.ts';

/** `system` is the marketplace itself: timers, and steps that follow another one in the same transaction. */
export const orderRoles = ['buyer', 'provider', 'admin', 'system'] as const;
export type OrderRole = (typeof orderRoles)[number];

/**
 * Effect of a step on the money. `hold`: the payment goes into escrow. `release`: all of it to the provider and the fee. `refund`: all of
 * it back to the payer. `split`: a part back, the rest released. `reassign`: the payer uses it for another request.
 */
export type StepMoney = 'hold' | 'release' | 'refund' | 'split' | 'reassign';

export interface LifecycleRow {
  readonly from: readonly OrderStatus[];
  readonly command: OrderCommand;
  readonly by: readonly OrderRole[];
  readonly to: OrderStatus;
  /** Absent: the step moves no money. */
  readonly money?: StepMoney;
  readonly guards?: readonly (keyof typeof lifecycleGuards)[];
  /** The row applies only to orders whose provider was paid at hire. */
  readonly onlyPaidAtHire?: true;
}

export const orderCommands = [
  'quote',
  'accept',
  'pay',
  'open_workspace',
  'start',
  'deliver',
  'answer_request',
  'generate',
  'finish_workspace',
  'approve',
  'auto_release',
  'revision',
  'allow_revision',
  'dispute',
  'withdraw_dispute',
  'cancel',
  'decline',
  'refund',
  'expire',
  'mark_overdue',
  'contest',
  'escalate',
  'rule_release',
  'rule_refund',
  'rule_split',
  'review',
] as const;
export type OrderCommand = (typeof orderCommands)[number];

/** The first status of a new order. An x402 hire is paid before its order exists, so its order begins `paid` instead. */
export function firstStatus(priceType: PriceType): OrderStatus {
  return priceType === 'quote' ? 'pending_quote' : 'quoted';
}

export const orderLifecycle: readonly LifecycleRow[] = [
  { from: ['pending_quote'], command: 'quote', by: ['provider'], to: 'quoted' },
  { from: ['quoted'], command: 'quote', by: ['provider'], to: 'quoted', guards: ['by_quote'] },
  { from: ['quoted'], command: 'accept', by: ['buyer'], to: 'accepted' },
  { from: ['quoted', 'accepted'], command: 'pay', by: ['buyer'], to: 'paid', money: 'hold', guards: ['time_agreed'] },
  { from: ['paid'], command: 'open_workspace', by: ['system'], to: 'in_progress', guards: ['workspace'] },
  { from: ['paid'], command: 'start', by: ['provider'], to: 'in_progress', guards: ['plain', 'delivery_open'] },
  { from: ['paid', 'in_progress'], command: 'deliver', by: ['provider'], to: 'delivered', guards: ['plain', 'delivery_open'] },
  { from: ['revision_requested'], command: 'deliver', by: ['provider'], to: 'delivered', guards: ['revision_open'] },
  { from: ['delivered'], command: 'deliver', by: ['provider'], to: 'delivered', guards: ['review_open'] },
  // A provider paid at hire may deliver during the dispute; the dispute goes on.
  { from: ['disputed'], command: 'deliver', by: ['provider'], to: 'disputed', guards: ['owed'], onlyPaidAtHire: true },
  { from: ['in_progress'], command: 'generate', by: ['buyer'], to: 'in_progress', guards: ['workspace', 'workspace_open', 'quota_left'] },
  { from: ['in_progress'], command: 'answer_request', by: ['provider'], to: 'in_progress', guards: ['workspace', 'workspace_open'] },
  { from: ['in_progress'], command: 'finish_workspace', by: ['system'], to: 'delivered', guards: ['workspace', 'workspace_over'] },
  { from: ['delivered'], command: 'approve', by: ['buyer'], to: 'completed', money: 'release' },
  { from: ['delivered'], command: 'auto_release', by: ['system'], to: 'completed', money: 'release', guards: ['review_over'] },
  // After a restore, the chain may show the payout of an order that is open in the books.
  {
    from: ['paid', 'in_progress', 'revision_requested'],
    command: 'auto_release',
    by: ['system'],
    to: 'completed',
    money: 'release',
    guards: ['payout_left', 'held'],
  },
  { from: ['delivered'], command: 'revision', by: ['buyer'], to: 'revision_requested', guards: ['review_open', 'revisions_left'] },
  { from: ['delivered'], command: 'allow_revision', by: ['provider'], to: 'delivered', guards: ['review_open'] },
  { from: ['delivered'], command: 'dispute', by: ['buyer'], to: 'disputed', guards: ['review_open'] },
  // Past the deadline of an order paid at hire, the buyer may dispute without a delivery.
  {
    from: ['paid', 'in_progress'],
    command: 'dispute',
    by: ['buyer'],
    to: 'disputed',
    guards: ['plain', 'delivery_overdue'],
    onlyPaidAtHire: true,
  },
  { from: ['disputed'], command: 'withdraw_dispute', by: ['buyer'], to: 'delivered', guards: ['not_owed'] },
  { from: ['disputed'], command: 'withdraw_dispute', by: ['buyer'], to: 'paid', guards: ['owed'] },
  { from: ['pending_quote', 'quoted', 'accepted'], command: 'cancel', by: ['buyer', 'admin'], to: 'cancelled' },
  { from: ['paid'], command: 'cancel', by: ['buyer', 'admin'], to: 'cancelled', money: 'refund', guards: ['held'] },
  { from: ['pending_quote', 'quoted', 'accepted'], command: 'decline', by: ['provider'], to: 'cancelled' },
  {
    from: ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'],
    command: 'refund',
    by: ['provider'],
    to: 'cancelled',
    money: 'refund',
    guards: ['held'],
  },
  // After a restore, the chain may show the refund of an order that is open in the books.
  {
    from: ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'],
    command: 'refund',
    by: ['system'],
    to: 'cancelled',
    money: 'refund',
    guards: ['refund_left', 'held'],
  },
  {
    from: ['paid', 'in_progress'],
    command: 'expire',
    by: ['system'],
    to: 'cancelled',
    money: 'refund',
    guards: ['plain', 'held', 'delivery_overdue'],
  },
  {
    from: ['paid'],
    command: 'mark_overdue',
    by: ['system'],
    to: 'paid',
    guards: ['plain', 'delivery_overdue', 'not_marked_overdue'],
    onlyPaidAtHire: true,
  },
  {
    from: ['in_progress'],
    command: 'mark_overdue',
    by: ['system'],
    to: 'in_progress',
    guards: ['plain', 'delivery_overdue', 'not_marked_overdue'],
    onlyPaidAtHire: true,
  },
  // The paying wallet claims its transfer for its own request.
  {
    from: ['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed'],
    command: 'contest',
    by: ['system'],
    to: 'cancelled',
    money: 'reassign',
    guards: ['held'],
  },
  { from: ['revision_requested'], command: 'escalate', by: ['system'], to: 'disputed', guards: ['revision_overdue'] },
  { from: ['disputed'], command: 'rule_release', by: ['admin'], to: 'completed', money: 'release' },
  { from: ['disputed'], command: 'rule_refund', by: ['admin'], to: 'cancelled', money: 'refund', guards: ['held'] },
  { from: ['disputed'], command: 'rule_split', by: ['admin'], to: 'completed', money: 'split', guards: ['held'] },
  { from: ['completed'], command: 'review', by: ['buyer'], to: 'completed', guards: ['unrelated', 'not_reviewed'] },
];

/** The history's reason for a release that restored books found on chain. The audit then expects no passed deadline. */
export const FOUND_RELEASED = 'The books were restored. The chain shows that the provider had been paid.';

/** States of paid orders, in which a reverted payment blocks every command. */
const funded: ReadonlySet<OrderStatus> = new Set(['paid', 'in_progress', 'delivered', 'revision_requested', 'disputed']);

/** Parties may write to each other from payment on. */
export const messagingStatuses: ReadonlySet<OrderStatus> = new Set([...funded, 'completed']);

/** The effect of a command on the money of an order in this state. */
export function moneyOfStep(from: OrderStatus, command: OrderCommand): StepMoney | undefined {
  return orderLifecycle.find((row) => row.command === command && row.from.includes(from))?.money;
}

export type Decision =
  | { readonly allowed: true; readonly to: OrderStatus }
  | { readonly allowed: false; readonly code: OrderRefusal; readonly reason: string };

/** Whether this role may give this command in some state. If not, the answer is 403 instead of 400. */
export function mayEverCommand(command: OrderCommand, role: OrderRole): boolean {
  return orderLifecycle.some((row) => row.command === command && row.by.includes(role));
}

export function decide(order: LifecycleFacts, command: OrderCommand, role: OrderRole, now: Date): Decision {
  const rows = rowsFor(order, role).filter((row) => row.command === command);
  const [first] = rows;
  if (first === undefined) return isNoStep(order);
  if (order.paymentReverted && funded.has(order.status)) return refused('payment_reverted');
  const open = rows.find((row) => findClosed(row, order, now) === undefined);
  if (open !== undefined) return { allowed: true, to: open.to };
  const code = findClosed(first, order, now)?.code ?? 'illegal_transition';
  return code === 'illegal_transition' ? isNoStep(order) : refused(code);
}

/** When time alone makes a command, now allowed, refused; null for never. */
export function closesAt(order: LifecycleFacts, command: OrderCommand, role: OrderRole, now: Date): Date | null {
  const open = rowsFor(order, role).find((row) => row.command === command && findClosed(row, order, now) === undefined);
  const ends = (open?.guards ?? []).map((name): Guard => lifecycleGuards[name]).flatMap((guard) => guard.closesAt?.(order) ?? []);
  return ends.reduce<Date | null>((first, end) => (first === null || end < first ? end : first), null);
}

function rowsFor(order: LifecycleFacts, role: OrderRole): readonly LifecycleRow[] {
  return orderLifecycle.filter(
    (row) => row.from.includes(order.status) && row.by.includes(role) && (row.onlyPaidAtHire !== true || order.settled),
  );
}

/** The first guard of a row that fails. */
function findClosed(row: LifecycleRow, order: LifecycleFacts, now: Date): Guard | undefined {
  return (row.guards ?? []).map((name): Guard => lifecycleGuards[name]).find((guard) => !guard.holds(order, now));
}

function isNoStep(order: LifecycleFacts): Decision {
  return refused('illegal_transition', `An order that is ${words(order.status)} cannot be changed this way.`);
}

function refused(code: OrderRefusal, reason: string = orderErrors[code].message): Decision {
  return { allowed: false, code, reason };
}

export interface ActionOffer {
  readonly action: OrderCommand;
  readonly allowed: boolean;
  /** Why the action is not allowed, for people. */
  readonly reason: string | null;
}

/** All commands of this role in the current state, with a reason for those not allowed. */
export function offeredActions(order: LifecycleFacts, role: OrderRole, now: Date): readonly ActionOffer[] {
  return [...new Set(rowsFor(order, role).map((row) => row.command))]
    .filter((command) => isForThisKind(command, order))
    .map((action) => {
      const decision = decide(order, action, role, now);
      return { action, allowed: decision.allowed, reason: decision.allowed ? null : decision.reason };
    });
}

/** Leaves out commands that never apply to this kind of order. */
function isForThisKind(command: OrderCommand, order: LifecycleFacts): boolean {
  if (command === 'generate' || command === 'answer_request') return order.workspace;
  if (command === 'start') return !order.workspace;
  if (command === 'quote') return order.byQuote;
  if (order.status === 'disputed' && command === 'deliver') return isOwed(order);
  if (command === 'dispute') return order.status === 'delivered' || !order.workspace;
  return command !== 'deliver' || !order.workspace || order.status !== 'in_progress';
}

function words(status: OrderStatus): string {
  return status.replaceAll('_', ' ');
}
