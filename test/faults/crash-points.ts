/** Crash points of the code that moves money, by the process that reaches them. */
import { isThorough } from '../harness/thoroughness.ts';

/** All points in a thorough run; otherwise the most delicate, because each death costs the start of a process. */
export function pointsToDieAt<P extends string>(points: readonly P[], delicate: readonly NoInfer<P>[]): readonly P[] {
  return isThorough ? points : points.filter((point) => delicate.includes(point));
}

/** Points of a server that finds a transfer, refunds it and pays out an order. Watching comes first, as it happens once per transfer. */
export const SERVER_POINTS: readonly string[] = [
  'watch.before_cursor_commit',
  'watch.before_book_commit',
  'watch.after_book',
  'watch.before_finality_commit',
  'claim.after_insert',
  'claim.after_post',
  'claim.before_commit',
  'queue.after_insert',
  'queue.after_reserve',
  'queue.before_commit',
  'outgoing.before_sign',
  'outgoing.after_sign',
  'outgoing.before_store_commit',
  'outgoing.after_store',
  'outgoing.before_broadcast',
  'outgoing.after_broadcast',
  'outgoing.before_mark_commit',
  'outgoing.after_mark_sent',
  'outgoing.before_outcome',
  'outgoing.after_outcome',
  'outgoing.after_step',
  'outgoing.before_requeue_commit',
  'outgoing.before_confirm_commit',
  'outgoing.after_confirm',
];

/** Points of a process that verifies a payment. */
export const PRESENTER_POINTS: readonly string[] = [
  'verify.after_read',
  'verify.after_book',
  'claim.after_book',
  'claim.after_insert',
  'claim.after_post',
  'claim.before_commit',
];

/** Every step of an order reaches the first two, a step that distributes money the third, and a timer the last. */
export const ORDER_POINTS: readonly string[] = ['order.after_step', 'order.before_commit', 'settle.after_post', 'timer.before_commit'];

/** Points of a standard payment for a hire or a registration, in this order. */
export const MACHINE_POINTS: readonly string[] = [
  'x402.after_claim',
  'x402.after_sign',
  'x402.after_keep',
  'x402.after_broadcast',
  'x402.after_settle',
  'x402.after_remember',
  'x402.before_record_commit',
  'x402.after_record',
];

/** A payer who contests a bare transfer reaches the first four, one who confirms it the last. */
export const CONTEST_POINTS: readonly string[] = [
  'contest.after_end_presenter',
  'contest.after_give_up',
  'contest.after_move',
  'contest.before_commit',
];
export const PROVE_POINT = 'contest.before_prove_commit';

/** Reached when the marketplace earns a registration fee after the contest window. */
export const EARN_POINT = 'x402.before_earn_commit';

/** Reached after the answer with its secrets was sent. */
export const TOLD_POINT = 'x402.before_told';

/** Reached only after signed bytes were lost for good. */
export const EXPIRY_POINT = 'outgoing.after_expiry';

/** Points of each command of a bounty. */
export const BOUNTY_POINTS = {
  post: ['bounty.after_post'],
  accept: ['bounty.after_order', 'bounty.after_claims', 'claim.before_commit'],
  cancel: ['bounty.after_close'],
  expire: ['bounty.after_close', 'bounty.before_expiry_commit'],
  lapse: ['bounty.after_lapse', 'bounty.before_lapse_commit'],
  refund: ['claim.before_commit', 'queue.before_commit'],
} as const;

/** Points of a stake that is paid with its claim, and of one that is returned or forfeited. */
export const STAKE_POINTS = { claim: ['stake.after_intake', 'claim.before_commit'], end: ['stake.after_returns'] } as const;

/** Points of a request that registers an agent on chain, in this order; between them are those of any movement. */
export const REGISTRATION_POINTS = {
  unordered: ['registration.before_queue', 'registration.before_queue_commit'],
  ordered: [
    'registration.after_queue',
    'outgoing.after_sign',
    'outgoing.after_store',
    'outgoing.after_broadcast',
    'outgoing.after_outcome',
  ],
  /** Reached by a job when the registration is final. */
  finishing: 'registration.before_made_commit',
  /** Reached when the registration ends without an entry. */
  failing: 'registration.before_failed_commit',
} as const;

/** Points of a request that moves money out of an agent's wallet, in this order. Its bytes are sent like those of payouts. */
export const MOVEMENT_POINTS = {
  unordered: ['movement.before_queue', 'movement.before_queue_commit'],
  ordered: [
    'movement.after_queue',
    'outgoing.before_sign',
    'outgoing.after_sign',
    'outgoing.before_store_commit',
    'outgoing.after_store',
    'outgoing.before_broadcast',
    'outgoing.after_broadcast',
    'outgoing.after_mark_sent',
    'outgoing.before_outcome',
    'outgoing.after_outcome',
  ],
  /** Reached by a job, because the answer does not wait until the transfer is final. */
  finishing: ['outgoing.before_confirm_commit', 'outgoing.after_confirm'],
} as const;

/** Points of Earn, in order: a request that deposits, one that withdraws, and jobs. */
export const EARN_POINTS = {
  deposit: [
    'earn.before_claim_commit',
    'earn.after_claim',
    'earn.before_deploy_commit',
    'outgoing.before_sign',
    'outgoing.after_sign',
    'outgoing.before_store_commit',
    'outgoing.after_store',
    'earn.after_deploy',
    'earn.before_mint_commit',
  ],
  withdraw: [
    'earn.before_burn_commit',
    'earn.after_burn',
    'earn.before_allow_commit',
    'earn.before_redeem_commit',
    'outgoing.before_sign',
    'outgoing.after_store',
    'earn.after_redeem',
    'earn.before_part_commit',
  ],
  settle: 'earn.before_settle_commit',
  /** Reached when an operator recognises a loss or a harvest. */
  recognise: 'earn.before_recognise_commit',
  refund: 'earn.before_refund_commit',
  transfer: ['earn.before_transfer_commit', 'earn.after_transfer_order'],
} as const;

/** Points of a waiting move: one for the request that asks, one for the cancelling one, the others for the job at its time. */
export const MOVE_POINTS = {
  hold: 'move.before_hold_commit',
  cancel: 'move.before_cancel_commit',
  undone: ['move.before_run', 'move.before_run_commit'],
  done: 'move.after_run',
} as const;
