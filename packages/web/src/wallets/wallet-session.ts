/** One interface for every wallet: an installed one on either kind of chain, or the sandbox's test wallet. */
import type { Answer } from '../data/answers.ts';

export type WalletKind = 'evm' | 'solana';
export type PayableNetwork = Answer<'payments.networks'>['data'][number];
export type PreparedPayment = Answer<'payments.prepare'>['data'];

/** A call of a contract that moves no money. */
export type PreparedCall = Answer<'onchainFeedback.prepare'>['data']['transaction'];

export interface WalletSession {
  /** Of the offer it came from. */
  readonly id: string;
  readonly name: string;
  readonly kind: WalletKind;
  readonly address: string;
  /** Hex on EVM, base58 on Solana: as the API takes it. */
  signMessage(text: string): Promise<string>;
  /** Signs a sign-in message in the wallet's own window for it. Absent where the wallet has none. */
  signIn?(message: string): Promise<string>;
  /** Whether the wallet has selected another network than the payment’s. */
  isElsewhere(network: PayableNetwork): Promise<boolean>;
  /** Switches the wallet to the network if it has selected another one. Called only when paying. */
  enterNetwork(network: PayableNetwork): Promise<void>;
  /**
   * Signs and sends. `keep` gets the reference as soon as there is one, before the money moves where the wallet allows it,
   * so that a page that is closed in between finds it again.
   */
  payUsdc(payment: PreparedPayment, keep: (reference: string) => void): Promise<string>;
  /** Signs and sends a call, as `payUsdc` does. Absent where the wallet is of another chain. */
  sendCall?(call: PreparedCall, keep: (reference: string) => void): Promise<string>;
  /** The wallet was locked, changed its account or went away. */
  onChange(listener: () => void): () => void;
}

/** A wallet one could use. */
export interface WalletOffer {
  readonly id: string;
  readonly kind: WalletKind;
  readonly name: string;
  /** A data: address, or undefined. */
  readonly icon: string | undefined;
  /** The sandbox's own, which has no real money. */
  readonly isTest: boolean;
  /** `silently`: only if the person has let this site in before; undefined when not. */
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
