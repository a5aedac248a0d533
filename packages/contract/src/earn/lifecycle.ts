/** The statuses of deposits and withdrawals of Earn, and the commands that change them. */

export const earnDepositStatuses = ['received', 'deploying', 'deployed', 'refunding', 'refunded', 'held'] as const;
export type EarnDepositStatus = (typeof earnDepositStatuses)[number];

export const earnDepositCommands = ['deploy', 'mint', 'refund', 'refund_paid', 'hold', 'retry'] as const;
export type EarnDepositCommand = (typeof earnDepositCommands)[number];

export type EarnRole = 'system' | 'operator';

export interface EarnDepositRow {
  readonly from: readonly EarnDepositStatus[];
  readonly command: EarnDepositCommand;
  readonly by: EarnRole;
  readonly to: EarnDepositStatus;
}

export const earnDepositLifecycle: readonly EarnDepositRow[] = [
  { from: ['received'], command: 'deploy', by: 'system', to: 'deploying' },
  { from: ['deploying'], command: 'mint', by: 'system', to: 'deployed' },
  { from: ['received', 'deploying'], command: 'refund', by: 'system', to: 'refunding' },
  { from: ['refunding'], command: 'refund_paid', by: 'system', to: 'refunded' },
  { from: ['received', 'deploying', 'refunding'], command: 'hold', by: 'system', to: 'held' },
  // A parked refund, resumed by an operator, may be paid while the deposit is held.
  { from: ['held'], command: 'refund_paid', by: 'system', to: 'refunded' },
  // The venue took the deposit, and an operator mints its shares.
  { from: ['held'], command: 'mint', by: 'operator', to: 'deployed' },
  { from: ['held'], command: 'retry', by: 'operator', to: 'received' },
  { from: ['held'], command: 'refund', by: 'operator', to: 'refunding' },
];

export const earnWithdrawalStatuses = ['queued', 'redeeming', 'paying', 'settled'] as const;
export type EarnWithdrawalStatus = (typeof earnWithdrawalStatuses)[number];

export const earnWithdrawalCommands = ['redeem', 'give_back', 'part', 'redeemed', 'paid'] as const;
export type EarnWithdrawalCommand = (typeof earnWithdrawalCommands)[number];

export interface EarnWithdrawalRow {
  readonly from: EarnWithdrawalStatus;
  readonly command: EarnWithdrawalCommand;
  readonly to: EarnWithdrawalStatus;
}

export const earnWithdrawalLifecycle: readonly EarnWithdrawalRow[] = [
  { from: 'queued', command: 'redeem', to: 'redeeming' },
  // The venue refused: the withdrawal keeps its place in the queue.
  { from: 'redeeming', command: 'give_back', to: 'queued' },
  { from: 'redeeming', command: 'part', to: 'queued' },
  { from: 'redeeming', command: 'redeemed', to: 'paying' },
  // An operator recognised the loss of every unit that was left.
  { from: 'queued', command: 'redeemed', to: 'paying' },
  { from: 'paying', command: 'paid', to: 'settled' },
];

/** Withdrawals that still hold units in the venue. */
export const openWithdrawalStatuses: readonly EarnWithdrawalStatus[] = ['queued', 'redeeming'];

/** Returns undefined if the table has no such step. */
export function decideDeposit(from: EarnDepositStatus, command: EarnDepositCommand, by: EarnRole): EarnDepositStatus | undefined {
  return earnDepositLifecycle.find((row) => row.command === command && row.by === by && row.from.includes(from))?.to;
}

export function decideWithdrawal(from: EarnWithdrawalStatus, command: EarnWithdrawalCommand): EarnWithdrawalStatus | undefined {
  return earnWithdrawalLifecycle.find((row) => row.command === command && row.from === from)?.to;
}
