import type { WalletChain } from '@market/contract';

export interface WalletSigner {
  readonly address: string;
  /** Left out, the shape of the address decides. */
  readonly chain?: WalletChain;
  /** Returns base58 for Solana, hex for Base. */
  signMessage(text: string): Promise<string>;
  /** Signs a sign-in message, where the wallet has a way of its own to show one. Left out, `signMessage` does. */
  signIn?(message: string): Promise<string>;
}

export interface Identity {
  // `undefined` is allowed, so that a variable of the environment can be passed as it is.
  readonly apiKey?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly wallet?: WalletSigner | undefined;
}
