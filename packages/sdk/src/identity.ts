import type { WalletChain } from '@market/contract';

export interface WalletSigner {
  readonly address: string;
  /** By default, the form of the address decides. */
  readonly chain?: WalletChain;
  /** Returns base58 for Solana, hex for Base. */
  signMessage(text: string): Promise<string>;
  /** Signs a sign-in message in the wallet's own dialog for it. By default, `signMessage` signs it. */
  signIn?(message: string): Promise<string>;
}

export interface Identity {
  // Allow `undefined`, so that callers can pass an environment variable unchecked.
  readonly apiKey?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly wallet?: WalletSigner | undefined;
}
