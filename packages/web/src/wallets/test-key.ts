import type { PreparedCall, WalletSession } from './wallet-session.ts';

/** What the two kinds of key can do. */
export interface TestKey {
  readonly address: string;
  signMessage(text: string): Promise<string>;
  /** The reference the transaction will have, and its bytes as the API takes them. */
  signPayment(payment: Parameters<WalletSession['payUsdc']>[0]): Promise<SignedBytes>;
  /** EVM alone. */
  signCall?(call: PreparedCall): Promise<SignedBytes>;
}

interface SignedBytes {
  readonly reference: string;
  readonly signed: string;
}
