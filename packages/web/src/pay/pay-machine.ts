/**
 * Paying as a state machine: the events that each state accepts, and the next state. Pure: the driver does the work and reports events, the
 * panel shows the state. One machine serves everything that is paid here; the paid subject is data.
 */

export const payPhases = [
  'idle',
  'choosing',
  'connecting',
  'checking',
  'short',
  'ready',
  'wrong_network',
  'signing',
  'sent',
  'confirming',
  'submitting',
  'verified',
  'done',
  /** A wallet was asked to pay and its answer is unknown: it may have paid. */
  'unsure',
  'failed',
] as const;
export type PayPhase = (typeof payPhases)[number];

export type PayTrouble =
  | 'refused'
  | 'busy'
  | 'connect_failed'
  | 'network_refused'
  | 'real_money'
  | 'not_what_was_agreed'
  | 'chain_unavailable'
  | 'dropped'
  | 'reverted'
  | 'wrong_amount'
  | 'wrong_receiver'
  | 'wrong_payer'
  | 'reserved'
  | 'too_old'
  | 'already_used'
  | 'unreachable'
  | 'turned_down'
  | 'wallet_failed';

export interface Funds {
  readonly usdcBalance: string;
  readonly missingUsd: string;
  /** In the smallest units of the network's coin. */
  readonly missingNative: string;
  readonly feeNative: string;
}

export interface PayState {
  readonly phase: PayPhase;
  /** Id of the offer of the wallet in use. */
  readonly walletId?: string | undefined;
  readonly address?: string | undefined;
  readonly funds?: Funds | undefined;
  /** Reference of the transaction, from the moment it is known. Kept as long as the transaction may have moved money. */
  readonly reference?: string | undefined;
  readonly confirmations?: number | undefined;
  readonly required?: number | undefined;
  readonly trouble?: PayTrouble | undefined;
  /** The service's or the wallet's own words, if it gave any. */
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  /** True when the wait is so long that the person may give up. */
  readonly late?: boolean | undefined;
}

export type PayEvent =
  | { readonly type: 'open' }
  | { readonly type: 'choose' }
  | { readonly type: 'connect'; readonly walletId: string }
  | { readonly type: 'connected'; readonly address: string }
  | { readonly type: 'checked'; readonly funds: Funds }
  | { readonly type: 'check_again' }
  | { readonly type: 'wrong_network' }
  | { readonly type: 'ask_signature' }
  | { readonly type: 'sent'; readonly reference: string }
  | { readonly type: 'progress'; readonly confirmations: number; readonly required: number }
  | { readonly type: 'submit' }
  | { readonly type: 'verified'; readonly late: boolean }
  | { readonly type: 'finish' }
  | { readonly type: 'unanswered' }
  | { readonly type: 'fail'; readonly trouble: PayTrouble; readonly message?: string | undefined; readonly requestId?: string | undefined }
  | { readonly type: 'start_over' };

type Next = { readonly [E in PayEvent['type']]?: (state: PayState, event: Extract<PayEvent, { type: E }>) => PayState };

const fresh = ({ walletId, address }: PayState): PayState => ({ phase: 'choosing', walletId, address });
const keepSent = (state: PayState, reference: string): PayState => ({
  phase: 'sent',
  walletId: state.walletId,
  address: state.address,
  funds: state.funds,
  reference,
  confirmations: 0,
});
const sent: NonNullable<Next['sent']> = (state, { reference }) => keepSent(state, reference);
const connect: NonNullable<Next['connect']> = (_state, { walletId }) => ({ phase: 'connecting', walletId });
const connected: NonNullable<Next['connected']> = ({ walletId }, { address }) => ({ phase: 'checking', walletId, address });
const check: NonNullable<Next['check_again']> = (state) => ({ ...fresh(state), phase: 'checking' });
const checked: NonNullable<Next['checked']> = (state, { funds }) => ({ ...state, funds, phase: isShort(funds) ? 'short' : 'ready' });
const fail: NonNullable<Next['fail']> = (state, { trouble, message, requestId }) => ({
  ...state,
  phase: 'failed',
  trouble,
  message,
  requestId,
});
/** The visitor may go back until money may have moved, and only forward afterwards. */
const before: Next = { choose: fresh, connect, connected, sent, fail, unanswered: (state) => ({ ...state, phase: 'unsure' }) };
const progress: NonNullable<Next['progress']> = (state, { confirmations, required }) => ({
  ...withoutTrouble(state),
  phase: 'confirming',
  confirmations,
  required,
});
const submit: NonNullable<Next['submit']> = (state) => ({ ...withoutTrouble(state), phase: 'submitting' });
const verified: NonNullable<Next['verified']> = (state, { late }) => ({ ...withoutTrouble(state), phase: 'verified', late });
const after: Next = { progress, submit, verified, fail };

const table: Readonly<Record<PayPhase, Next>> = {
  idle: { open: fresh, connect, sent, unanswered: (state) => ({ ...state, phase: 'unsure' }) },
  choosing: { connect, connected, sent, unanswered: (state) => ({ ...state, phase: 'unsure' }), fail },
  connecting: before,
  checking: { ...before, checked },
  short: { ...before, check_again: check, checked },
  ready: { ...before, check_again: check, checked, wrong_network: to('wrong_network'), ask_signature: to('signing') },
  wrong_network: { ...before, ask_signature: to('signing') },
  signing: { sent, fail, unanswered: to('unsure') },
  sent: after,
  confirming: after,
  submitting: after,
  verified: { finish: to('done') },
  done: {},
  unsure: { sent, start_over: fresh },
  failed: {
    choose: (state) => (state.reference === undefined ? fresh(state) : state),
    connect: (state, event) => (state.reference === undefined ? connect(state, event) : state),
    check_again: (state) => (state.reference === undefined ? check(state, { type: 'check_again' }) : state),
    sent,
    progress: (state, event) => (state.reference === undefined ? state : progress(state, event)),
    submit: (state) => (state.reference === undefined ? state : submit(state, { type: 'submit' })),
    verified: (state, event) => (state.reference === undefined ? state : verified(state, event)),
    fail,
    start_over: (state) => (state.trouble !== undefined && mayStartOver(state.trouble) ? fresh(state) : state),
  },
};

/** Ignores events that the state does not expect, for example late answers. */
export function step(state: PayState, event: PayEvent): PayState {
  const next = table[state.phase][event.type] as ((state: PayState, event: PayEvent) => PayState) | undefined;
  return next === undefined ? state : next(state, event);
}

function to(phase: PayPhase): (state: PayState) => PayState {
  return (state) => ({ ...state, phase });
}

function withoutTrouble({ trouble: _trouble, message: _message, requestId: _requestId, ...state }: PayState): PayState {
  return state;
}

function isShort({ missingUsd, missingNative }: Funds): boolean {
  return Number(missingUsd) > 0 || BigInt(missingNative) > 0n;
}

/** Troubles after which this transaction is useless here. Only the person can know that for `dropped`, so the panel asks them. */
const overTroubles: readonly PayTrouble[] = [
  'reverted',
  'wrong_amount',
  'wrong_receiver',
  'wrong_payer',
  'reserved',
  'too_old',
  'already_used',
  'turned_down',
  'dropped',
];

export function mayStartOver(trouble: PayTrouble): boolean {
  return overTroubles.includes(trouble);
}

/** Temporary errors: the driver keeps polling. */
export function mayPass(trouble: PayTrouble | undefined): boolean {
  return trouble === 'unreachable' || trouble === 'dropped' || trouble === 'chain_unavailable';
}

/** True once money may have moved: from then on the page must not ask for a second payment. */
export function isUnderWay({ phase, reference }: PayState): boolean {
  return reference !== undefined || phase === 'signing' || phase === 'unsure';
}
