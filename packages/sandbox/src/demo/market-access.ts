// The demo uses the public API through the SDK. A pass exempts its calls from rate limits, so that they do not use up the limits of a
// newcomer on the same machine.
import { createMarketClient, type MarketClient, type WalletSigner } from '@market/sdk';
import type { Keypair } from '../solana/keypair.ts';
import { type DemoWallet, deriveKeypair, deriveWallet, type PaymentEndpoint } from './wallets.ts';

export interface MarketAccess {
  readonly baseUrl: string;
  readonly pass: string;
  /** Seed of all wallets of the demo. */
  readonly seed: string;
}

export interface Market {
  readonly anyone: MarketClient;
  as(identity: { readonly apiKey?: string; readonly accessToken?: string; readonly wallet?: WalletSigner }): MarketClient;
  wallet(name: string, chain: 'solana' | 'base'): DemoWallet;
  /** The key pair of the Solana wallet of this name. */
  keypair(name: string): Keypair;
  /** Payment endpoints by network; empty in a sandbox without chains. */
  endpoints(): Promise<ReadonlyMap<string, PaymentEndpoint>>;
}

export function openMarketAccess({ baseUrl, pass, seed }: MarketAccess): Market {
  const passing: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-sandbox-pass', pass);
    return fetch(input, { ...init, headers });
  };
  const as: Market['as'] = (identity) => createMarketClient({ baseUrl, fetch: passing, retries: 4, ...identity });
  const anyone = as({});
  return {
    as,
    anyone,
    wallet: (name, chain) => deriveWallet(seed, name, chain),
    keypair: (name) => deriveKeypair(seed, name),
    async endpoints() {
      const { data } = await anyone.sandbox.info();
      return new Map(
        data.networks.map(({ network, caip2, rpc_url: rpcUrl, usdc_address: usdcAddress, treasury }) => [
          network,
          { rpcUrl, usdcAddress, treasury, chainId: Number(caip2.split(':')[1]) || 0 },
        ]),
      );
    },
  };
}
