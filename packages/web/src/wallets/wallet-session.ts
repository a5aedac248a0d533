/** One interface for every wallet: an installed one on either kind of chain, or the sandbox's test wallet. */
import type { Answer } from '../data/answers.ts';

export type WalletKind = 'evm' | 'solana';
export type PayableNetwork = Answer<'payments.networks'>['data'][number];
export type PreparedPayment = Answer<'payments.prepare'>['data'];

/** A contract call that moves no money. */
export type PreparedCall = Answer<'onchainFeedback.prepare'>['data']['transaction'];

export interface WalletSession {
  /** Id of the offer behind this session. */
  readonly id: string;
  readonly name: string;
  readonly kind: WalletKind;
  readonly address: string;
  /** Hex on EVM, base58 on Solana, as the API accepts them. */
  signMessage(text: string): Promise<string>;
  /** Signs a sign-in message in the wallet's own window for it. Absent if the wallet has none. */
  signIn?(message: string): Promise<string>;
  /** Whether another network than the payment's is selected in the wallet. */
  isElsewhere(network: PayableNetwork): Promise<boolean>;
  /** Switches the wallet to the network if it has selected another one. Called only when paying. */
  enterNetwork(network: PayableNetwork): Promise<void>;
  /**
   * Signs and sends. `keep` gets the reference as soon as it is known, if possible before the money moves. So the payment is found again
   * after the page was closed.
   */
  payUsdc(payment: PreparedPayment, keep: (reference: string) => void): Promise<string>;
  /** Signs and sends a call, as `payUsdc` does. Absent for wallets of other chains. */
  sendCall?(call: PreparedCall, keep: (reference: string) => void): Promise<string>;
  /** Called when the wallet was locked, changed its account or disappeared. */
  onChange(listener: () => void): () => void;
}

/** A wallet that the visitor can choose. */
export interface WalletOffer {
  readonly id: string;
  readonly kind: WalletKind;
  readonly name: string;
  /** A data: URL, or undefined. */
  readonly icon: string | undefined;
  /** True for the sandbox's own wallet, which has no real money. */
  readonly isTest: boolean;
  /** `silently`: connects only if the person has allowed this site before; otherwise undefined. */
  connect(silently: boolean): Promise<WalletSession | undefined>;
}

export type WalletTrouble =
  | 'refused'
  | 'busy'
  | 'network_refused'
  | 'unknown_network'
  | 'locked'
  | 'real_money'
  | 'not_what_was_agreed'
  | 'failed';

export class WalletProblem extends Error {
  readonly trouble: WalletTrouble;

  constructor(trouble: WalletTrouble, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'WalletProblem';
    this.trouble = trouble;
  }
}

/** Classifies wallet errors. Codes are those of EIP-1193; some wallets only send messages. */
export function explainWalletError(error: unknown, onRefusal: 'refused' | 'network_refused' = 'refused'): WalletProblem {
  if (error instanceof WalletProblem) return error;
  const code = fieldOf(error, 'code');
  const message = String(fieldOf(error, 'message') ?? error);
  if (code === 4001 || code === 'ACTION_REJECTED' || /user (?:rejected|denied|cancell?ed)|rejected the request/i.test(message)) {
    return new WalletProblem(onRefusal, 'You refused it in the wallet.', error);
  }
  if (code === -32002 || /already (?:pending|open|processing)/i.test(message)) {
    return new WalletProblem('busy', 'The wallet still has a request of this site open.', error);
  }
  if (code === 4902 || /unrecognized chain/i.test(message)) {
    return new WalletProblem('unknown_network', 'The wallet does not know this network.', error);
  }
  return new WalletProblem('failed', `The wallet said: ${message.slice(0, 200)}`, error);
}

function fieldOf(value: unknown, field: 'code' | 'message'): unknown {
  return value !== null && typeof value === 'object' && field in value ? (value as Record<string, unknown>)[field] : undefined;
}
