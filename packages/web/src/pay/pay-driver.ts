/**
 * Does what the pay machine only knows: asks wallets, the chain and the service, and reports what came of it. What it has sent it
 * writes down before anything else, and what is written down is followed to its end, in whichever tab or after whatever reload.
 */
import type { NetworkName } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import type { Answer } from '../data/answers.ts';
import { type AgreedPayment, requireAgreed } from '../wallets/check-payment.ts';
import { type PayableNetwork, type PreparedPayment, WalletProblem, type WalletSession } from '../wallets/wallet-session.ts';
import { isUnderWay, type PayEvent, type PayState, type PayTrouble, step } from './pay-machine.ts';
import { dropRecord, keepRecord, type PaymentRecord, readRecord } from './payment-record.ts';

export interface PayTerms extends AgreedPayment {
  readonly network: NetworkName;
  readonly amount_usd: string;
}

export interface PayDriverOptions {
  /** Names what is paid for, for ever: `order:ord_…`. */
  readonly subject: string;
  readonly ask: {
    prepare(wallet: string, terms: PayTerms): Promise<PreparedPayment>;
    progress(network: NetworkName, reference: string): Promise<Answer<'payments.progress'>['data']>;
    /** Tells the service what was paid for with this transaction. The same again is answered the same. */
    tell(network: NetworkName, reference: string): Promise<void>;
  };
  readonly connect: (walletId: string) => Promise<WalletSession>;
  readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Runs the work unless another tab is at it; false then. */
  readonly alone: (name: string, work: () => Promise<void>) => Promise<boolean>;
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly onPaid: () => void;
}

export interface PayDriver {
  readonly state: () => PayState;
  subscribe(listener: () => void): () => void;
  /** Goes on with what is written down, if anything is. */
  resume(): void;
  choose(walletId: string, terms: PayTerms): Promise<void>;
  checkAgain(terms: PayTerms): Promise<void>;
  pay(terms: PayTerms, network: PayableNetwork): Promise<void>;
  /** Takes a transaction that was sent by other means. Throws when the text cannot be one. */
  take(reference: string, terms: PayTerms): Promise<void>;
  startOver(): void;
  stop(): void;
}

const LOOK_MS = 1_500;
const LOOK_LATER_MS = 5_000;
const DROPPED_AFTER_MS = 120_000;
const LATE_AFTER_MS = 600_000;

export function createPayDriver(options: PayDriverOptions): PayDriver {
  const { subject, ask, store, now } = options;
  let state: PayState = { phase: 'idle' };
  let session: WalletSession | undefined;
  let stopped = false;
  let following: string | undefined;
  const listeners = new Set<() => void>();

  function report(event: PayEvent): void {
    const next = step(state, event);
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  }

  function fail(trouble: PayTrouble, error?: unknown): void {
    const requestId = error instanceof MarketApiError ? error.requestId : undefined;
    report({ type: 'fail', trouble, message: error instanceof Error ? error.message : undefined, requestId });
  }

  async function check(terms: PayTerms): Promise<PreparedPayment | undefined> {
    const address = state.address;
    if (address === undefined) return undefined;
    try {
      const prepared = await ask.prepare(address, terms);
      // Another wallet or network may have been chosen while the chain was asked.
      if (state.address !== address) return undefined;
      report({ type: 'checked', funds: fundsOf(prepared) });
      return prepared;
    } catch (error) {
      fail(isOutOfReach(error) ? 'unreachable' : 'chain_unavailable', error);
      return undefined;
    }
  }

  async function send(terms: PayTerms, network: PayableNetwork, wallet: WalletSession): Promise<void> {
    const known = readRecord(store, subject);
    if (known !== undefined) return adopt(known);
    const prepared = await check(terms);
    if (prepared === undefined || state.phase !== 'ready') return;
    requireAgreed(prepared, terms, network, wallet.address);
    if (await wallet.isElsewhere(network)) report({ type: 'wrong_network' });
    await wallet.enterNetwork(network);
    const record: PaymentRecord = { network: terms.network, wallet: wallet.address, amountUsd: terms.amount_usd, since: now() };
    keepRecord(store, subject, record);
    report({ type: 'ask_signature' });
    const keep = (reference: string): void => {
      keepRecord(store, subject, { ...record, reference });
      report({ type: 'sent', reference });
    };
    try {
      await wallet.payUsdc(prepared, keep);
    } catch (error) {
      // Once there is a reference the chain is asked, whatever the wallet says.
      if (readRecord(store, subject)?.reference !== undefined) return;
      if (!isCertainlyUnsent(error)) return report({ type: 'unanswered' });
      dropRecord(store, subject);
      throw error;
    }
  }

  function adopt({ reference, wallet }: PaymentRecord): void {
    if (wallet !== null && state.address === undefined && state.phase === 'connecting') report({ type: 'connected', address: wallet });
    report(reference === undefined ? { type: 'unanswered' } : { type: 'sent', reference });
    if (reference !== undefined) void follow();
  }

  /** Until it is verified, is certain to be of no use, or the page goes away. */
  async function follow(): Promise<void> {
    const record = readRecord(store, subject);
    const reference = record?.reference;
    if (record === undefined || reference === undefined || following === reference) return;
    following = reference;
    while (!stopped && following === reference) {
      const outcome = await look(record, reference);
      if (outcome === 'over') break;
      await options.pause(outcome === 'soon' ? LOOK_MS : LOOK_LATER_MS);
    }
    if (following === reference) following = undefined;
  }

  async function look(record: PaymentRecord, reference: string): Promise<'soon' | 'later' | 'over'> {
    try {
      const seen = await ask.progress(record.network, reference);
      if (stopped) return 'over';
      if (seen.state === 'failed') return over('reverted');
      if (seen.state === 'missing') return waitForBlock(record);
      if (Number(seen.received_usd) === 0) return over('wrong_receiver');
      report({ type: 'progress', confirmations: seen.confirmations, required: seen.confirmations_required });
      return seen.confirmations < seen.confirmations_required ? 'soon' : await tell(record, reference);
    } catch (error) {
      if (stopped) return 'over';
      fail(isOutOfReach(error) ? 'unreachable' : 'chain_unavailable', error);
      return 'later';
    }
  }

  function waitForBlock({ since }: PaymentRecord): 'soon' | 'later' {
    if (now() - since < DROPPED_AFTER_MS) return 'soon';
    fail('dropped');
    return 'later';
  }

  function over(trouble: PayTrouble, error?: unknown): 'over' {
    fail(trouble, error);
    return 'over';
  }

  async function tell({ network, since }: PaymentRecord, reference: string): Promise<'soon' | 'later' | 'over'> {
    report({ type: 'tell' });
    try {
      await ask.tell(network, reference);
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === 'wait') return 'later';
      if (trouble !== 'unreachable') return over(trouble, error);
      fail('unreachable', error);
      return 'later';
    }
    dropRecord(store, subject);
    report({ type: 'verified', late: now() - since > LATE_AFTER_MS });
    report({ type: 'finish' });
    options.onPaid();
    return 'over';
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    resume() {
      const record = readRecord(store, subject);
      if (record !== undefined) adopt(record);
      else report({ type: 'open' });
    },
    async choose(walletId, terms) {
      if (isUnderWay(state)) return;
      report({ type: 'connect', walletId });
      try {
        const opened = await options.connect(walletId);
        if (state.phase !== 'connecting' || state.walletId !== walletId) return;
        session = opened;
        report({ type: 'connected', address: opened.address });
      } catch (error) {
        return fail(connectTrouble(error), error);
      }
      await check(terms);
    },
    async checkAgain(terms) {
      report({ type: 'check_again' });
      await check(terms);
    },
    async pay(terms, network) {
      const wallet = session;
      if (wallet === undefined || isUnderWay(state)) return;
      if (state.phase !== 'ready') report({ type: 'check_again' });
      try {
        const done = await options.alone(`market.pay.${subject}`, () => send(terms, network, wallet));
        if (!done) return fail('busy', new Error('This payment is open in another tab. Go on there.'));
      } catch (error) {
        return fail(payTrouble(error), error);
      }
      void follow();
    },
    async take(text, terms) {
      const { reference } = await ask.progress(terms.network, text.trim());
      keepRecord(store, subject, { network: terms.network, wallet: null, amountUsd: terms.amount_usd, reference, since: now() });
      report({ type: 'sent', reference });
      await follow();
    },
    startOver() {
      const before = state;
      report({ type: 'start_over' });
      if (state === before) return;
      following = undefined;
      dropRecord(store, subject);
    },
    stop() {
      stopped = true;
    },
  };
}

function fundsOf({ usdc_balance, missing_usd, missing_native, fee_native }: PreparedPayment) {
  return { usdcBalance: usdc_balance, missingUsd: missing_usd, missingNative: missing_native, feeNative: fee_native };
}

/** Everything else a wallet says may come after it has sent. */
function isCertainlyUnsent(error: unknown): boolean {
  return !(error instanceof WalletProblem) || error.trouble !== 'failed';
}

function connectTrouble(error: unknown): PayTrouble {
  const trouble = error instanceof WalletProblem ? error.trouble : undefined;
  return trouble === 'refused' || trouble === 'busy' ? trouble : 'connect_failed';
}

function payTrouble(error: unknown): PayTrouble {
  if (!(error instanceof WalletProblem)) return isOutOfReach(error) ? 'unreachable' : 'wallet_failed';
  const { trouble } = error;
  if (trouble === 'unknown_network') return 'network_refused';
  return trouble === 'locked' || trouble === 'failed' ? 'wallet_failed' : trouble;
}

function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof MarketApiError)) return true;
  return error.status === 0 || error.status === 429 || (error.status >= 500 && error.code !== 'chain_unavailable');
}

const refusals: Readonly<Record<string, PayTrouble>> = {
  payment_failed: 'reverted',
  payment_underpaid: 'wrong_amount',
  payment_not_received: 'wrong_receiver',
  payment_from_marketplace: 'wrong_payer',
  payment_wrong_payer: 'wrong_payer',
  payment_too_old: 'too_old',
  payment_already_used: 'already_used',
};

/** `wait`: the chain is not far enough for the service yet. */
function troubleOf(error: unknown): PayTrouble | 'wait' {
  if (!(error instanceof MarketApiError)) return 'unreachable';
  if (error.code === 'payment_not_final' || error.code === 'payment_not_found') return 'wait';
  return refusals[error.code] ?? (isOutOfReach(error) || error.code === 'chain_unavailable' ? 'unreachable' : 'turned_down');
}
