import type { PreparedCall, WalletSession } from './wallet-session.ts';

/** The interface of both kinds of key. */
export interface TestKey {
  readonly address: string;
  signMessage(text: string): Promise<string>;
  /** The reference of the future transaction, and its bytes as the API accepts them. */
  signPayment(payment: Parameters<WalletSession['payUsdc']>[0]): Promise<SignedBytes>;
  /** Only for EVM. */
  signCall?(call: PreparedCall): Promise<SignedBytes>;
}

interface SignedBytes {
  readonly reference: string;
  readonly signed: string;
}
