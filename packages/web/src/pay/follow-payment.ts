/** Follows a sent payment until it is verified or certainly useless. */
import type { NetworkName } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import type { Answer } from '../data/answers.ts';
import { WalletProblem } from '../wallets/wallet-session.ts';
import { failure, isOutOfReach } from './pay-failure.ts';
import type { PayEvent, PayTrouble } from './pay-machine.ts';
import { dropRecord, type PaymentRecord, readRecord } from './payment-record.ts';

const LOOK_MS = 1_500;
const LOOK_LATER_MS = 5_000;
const DROPPED_AFTER_MS = 120_000;
const LATE_AFTER_MS = 600_000;

export interface FollowerOptions {
  /** Permanent name of the paid subject, such as `order:ord_…`. */
  readonly subject: string;
  readonly ask: {
    progress(network: NetworkName, reference: string): Promise<Answer<'payments.progress'>['data']>;
    /** Submits the transaction for its subject. Repeating it gives the same answer. */
    submit(network: NetworkName, reference: string): Promise<void>;
  };
  readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly onPaid: () => void;
}

type Next = 'soon' | 'later' | 'over';

export class PaymentFollower {
  private readonly options: FollowerOptions;
  private readonly report: (event: PayEvent) => void;
  private stopped = false;
  private following: string | undefined;

  constructor(options: FollowerOptions, report: (event: PayEvent) => void) {
    this.options = options;
    this.report = report;
  }

  /** Ends when the payment is verified or useless, or when the visitor leaves the page. */
  async follow(): Promise<void> {
    const record = readRecord(this.options.store, this.options.subject);
    const reference = record?.reference;
    if (record === undefined || reference === undefined || this.following === reference) return;
    this.following = reference;
    while (!this.stopped && this.following === reference) {
      const next = await this.look(record, reference);
      if (next === 'over') break;
      await this.options.pause(next === 'soon' ? LOOK_MS : LOOK_LATER_MS);
    }
    if (this.following === reference) this.following = undefined;
  }

  forget(): void {
    this.following = undefined;
  }

  stop(): void {
    this.stopped = true;
  }

  private async look(record: PaymentRecord, reference: string): Promise<Next> {
    try {
      const seen = await this.options.ask.progress(record.network, reference);
      if (this.stopped) return 'over';
      if (seen.state === 'failed') return this.giveUp('reverted');
      if (seen.state === 'missing') return this.waitForBlock(record);
      if (Number(seen.received_usd) === 0) return this.giveUp('wrong_receiver');
      this.report({ type: 'progress', confirmations: seen.confirmations, required: seen.confirmations_required });
      return seen.confirmations < seen.confirmations_required ? 'soon' : await this.submit(record, reference);
    } catch (error) {
      if (this.stopped) return 'over';
      this.report(failure(isOutOfReach(error) ? 'unreachable' : 'chain_unavailable', error));
      return 'later';
    }
  }

  private waitForBlock({ since }: PaymentRecord): Next {
    if (this.options.now() - since < DROPPED_AFTER_MS) return 'soon';
    this.report(failure('dropped'));
    return 'later';
  }

  private giveUp(trouble: PayTrouble, error?: unknown): Next {
    this.report(failure(trouble, error));
    return 'over';
  }

  private async submit({ network, since }: PaymentRecord, reference: string): Promise<Next> {
    const { ask, store, subject, now } = this.options;
    this.report({ type: 'submit' });
    try {
      await ask.submit(network, reference);
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === 'wait') return 'later';
      if (trouble !== 'unreachable') return this.giveUp(trouble, error);
      this.report(failure('unreachable', error));
      return 'later';
    }
    dropRecord(store, subject);
    this.report({ type: 'verified', late: now() - since > LATE_AFTER_MS });
    this.report({ type: 'finish' });
    this.options.onPaid();
    return 'over';
  }
}

const refusals: Readonly<Record<string, PayTrouble>> = {
  payment_failed: 'reverted',
  payment_underpaid: 'wrong_amount',
  payment_not_received: 'wrong_receiver',
  payment_from_marketplace: 'wrong_payer',
  payment_wrong_payer: 'wrong_payer',
  payment_reserved: 'reserved',
  payment_too_old: 'too_old',
  payment_already_used: 'already_used',
};

/** `wait`: the service does not see the transaction yet, or it is not final. */
function troubleOf(error: unknown): PayTrouble | 'wait' {
  if (error instanceof WalletProblem) return 'reserved';
  if (!(error instanceof MarketApiError)) return 'unreachable';
  if (error.code === 'payment_not_final' || error.code === 'payment_not_found') return 'wait';
  return refusals[error.code] ?? (isOutOfReach(error) || error.code === 'chain_unavailable' ? 'unreachable' : 'turned_down');
}
