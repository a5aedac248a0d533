/**
 * Drives the pay machine: calls wallets, the chain and the service, and reports the results. It stores every sent payment first, and
 * follows stored payments to their end, in any tab and after a reload.
 */
import type { NetworkName } from '@market/contract';
import { type AgreedPayment, requireAgreed } from '../wallets/check-payment.ts';
import { type PayableNetwork, type PreparedPayment, WalletProblem, type WalletSession } from '../wallets/wallet-session.ts';
import { type FollowerOptions, PaymentFollower } from './follow-payment.ts';
import { failure, isOutOfReach } from './pay-failure.ts';
import { isUnderWay, type PayEvent, type PayState, type PayTrouble, step } from './pay-machine.ts';
import { dropRecord, keepRecord, type PaymentRecord, readRecord } from './payment-record.ts';

export interface PayTerms extends AgreedPayment {
  readonly network: NetworkName;
  readonly amount_usd: string;
}

export interface PayDriverOptions extends FollowerOptions {
  readonly ask: FollowerOptions['ask'] & { prepare(wallet: string, terms: PayTerms): Promise<PreparedPayment> };
  readonly connect: (walletId: string) => Promise<WalletSession>;
  /** Runs the work unless another tab already runs it; then returns false. */
  readonly alone: (name: string, work: () => Promise<void>) => Promise<boolean>;
}

export interface PayDriver {
  readonly state: () => PayState;
  subscribe(listener: () => void): () => void;
  /** Continues with a stored payment, if there is one. */
  resume(): void;
  choose(walletId: string, terms: PayTerms): Promise<void>;
  checkAgain(terms: PayTerms): Promise<void>;
  pay(terms: PayTerms, network: PayableNetwork): Promise<void>;
  /** Takes the reference of a transaction sent by other means. Throws if the text cannot be one. */
  take(reference: string, terms: PayTerms): Promise<void>;
  startOver(): void;
  stop(): void;
}

export function createPayDriver(options: PayDriverOptions): PayDriver {
  return new Driver(options);
}

class Driver implements PayDriver {
  private readonly options: PayDriverOptions;
  private readonly listeners = new Set<() => void>();
  private readonly follower: PaymentFollower;
  private current: PayState = { phase: 'idle' };
  private session: WalletSession | undefined;

  constructor(options: PayDriverOptions) {
    this.options = options;
    this.follower = new PaymentFollower(options, (event) => this.report(event));
  }

  // Bound functions, because React calls them without the driver.
  readonly state = (): PayState => this.current;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  resume(): void {
    const record = this.readRecord();
    if (record !== undefined) this.adopt(record);
    else this.report({ type: 'open' });
  }

  async choose(walletId: string, terms: PayTerms): Promise<void> {
    if (isUnderWay(this.current)) return;
    this.report({ type: 'connect', walletId });
    try {
      const opened = await this.options.connect(walletId);
      const { phase, walletId: wanted } = this.current;
      if (phase !== 'connecting' || wanted !== walletId) return;
      this.session = opened;
      this.report({ type: 'connected', address: opened.address });
    } catch (error) {
      return this.fail(connectTrouble(error), error);
    }
    await this.check(terms);
  }

  async checkAgain(terms: PayTerms): Promise<void> {
    this.report({ type: 'check_again' });
    await this.check(terms);
  }

  async pay(terms: PayTerms, network: PayableNetwork): Promise<void> {
    const wallet = this.session;
    if (wallet === undefined || isUnderWay(this.current)) return;
    if (this.current.phase !== 'ready') this.report({ type: 'check_again' });
    try {
      const done = await this.options.alone(`market.pay.${this.options.subject}`, () => this.send(terms, network, wallet));
      if (!done) return this.fail('busy', new Error('This payment is open in another tab. Go on there.'));
    } catch (error) {
      return this.fail(payTrouble(error), error);
    }
    void this.follower.follow();
  }

  async take(text: string, terms: PayTerms): Promise<void> {
    const { ask, store, subject, now } = this.options;
    const { reference } = await ask.progress(terms.network, text.trim());
    keepRecord(store, subject, { network: terms.network, wallet: null, amountUsd: terms.amount_usd, reference, since: now() });
    this.report({ type: 'sent', reference });
    await this.follower.follow();
  }

  startOver(): void {
    const before = this.current;
    this.report({ type: 'start_over' });
    if (this.current === before) return;
    this.follower.forget();
    dropRecord(this.options.store, this.options.subject);
  }

  stop(): void {
    this.follower.stop();
  }

  private report(event: PayEvent): void {
    const next = step(this.current, event);
    if (next === this.current) return;
    this.current = next;
    for (const listener of this.listeners) listener();
  }

  private fail(trouble: PayTrouble, error?: unknown): void {
    this.report(failure(trouble, error));
  }

  private readRecord(): PaymentRecord | undefined {
    return readRecord(this.options.store, this.options.subject);
  }

  private adopt({ reference, wallet }: PaymentRecord): void {
    const { address, phase } = this.current;
    if (wallet !== null && address === undefined && phase === 'connecting') this.report({ type: 'connected', address: wallet });
    this.report(reference === undefined ? { type: 'unanswered' } : { type: 'sent', reference });
    if (reference !== undefined) void this.follower.follow();
  }

  private async check(terms: PayTerms): Promise<PreparedPayment | undefined> {
    const { address } = this.current;
    if (address === undefined) return undefined;
    try {
      const prepared = await this.options.ask.prepare(address, terms);
      // The visitor may have chosen another wallet or network during the check.
      if (this.current.address !== address) return undefined;
      this.report({ type: 'checked', funds: fundsOf(prepared) });
      return prepared;
    } catch (error) {
      this.fail(isOutOfReach(error) ? 'unreachable' : 'chain_unavailable', error);
      return undefined;
    }
  }

  private async send(terms: PayTerms, network: PayableNetwork, wallet: WalletSession): Promise<void> {
    const { store, subject, now } = this.options;
    const known = this.readRecord();
    if (known !== undefined) return this.adopt(known);
    const prepared = await this.check(terms);
    if (prepared === undefined || this.current.phase !== 'ready') return;
    requireAgreed(prepared, terms, network, wallet.address);
    if (await wallet.isElsewhere(network)) this.report({ type: 'wrong_network' });
    await wallet.enterNetwork(network);
    const record: PaymentRecord = { network: terms.network, wallet: wallet.address, amountUsd: terms.amount_usd, since: now() };
    keepRecord(store, subject, record);
    this.report({ type: 'ask_signature' });
    const keep = (reference: string): void => {
      keepRecord(store, subject, { ...record, reference });
      this.report({ type: 'sent', reference });
    };
    try {
      await wallet.payUsdc(prepared, keep);
    } catch (error) {
      // With a reference, follow the chain, whatever the wallet’s error says.
      if (this.readRecord()?.reference !== undefined) return;
      if (!isCertainlyUnsent(error)) return this.report({ type: 'unanswered' });
      dropRecord(store, subject);
      throw error;
    }
  }
}

function fundsOf({ usdc_balance, missing_usd, missing_native, fee_native }: PreparedPayment) {
  return { usdcBalance: usdc_balance, missingUsd: missing_usd, missingNative: missing_native, feeNative: fee_native };
}

/** True if no payment was sent. Any other wallet error may come after the wallet has sent it. */
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
