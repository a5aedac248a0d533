/**
 * All wallets of this browser, found now and later, and the connected one per kind. One directory for the whole site, so that pages agree.
 */
import { usualNetwork } from '@market/contract';
import type { MarketClient } from '@market/sdk';
import { watchEvmWallets } from './evm-wallets.ts';
import { askNode, createSandboxNodeCheck } from './require-sandbox-node.ts';
import { watchSolanaWallets } from './solana-wallets.ts';
import { testWalletOffers } from './test-wallet.ts';
import { type WalletKind, type WalletOffer, WalletProblem, type WalletSession } from './wallet-session.ts';

export interface WalletsNow {
  readonly offers: readonly WalletOffer[];
  /** Sessions by the id of their offer. */
  readonly sessions: ReadonlyMap<string, WalletSession>;
}

export interface WalletDirectory {
  readonly now: () => WalletsNow;
  subscribe(listener: () => void): () => void;
  connect(offerId: string): Promise<WalletSession>;
  /** Reconnects a wallet chosen earlier, without asking. */
  resume(offerId: string): Promise<WalletSession | undefined>;
  forget(offerId: string): void;
  /** The last used wallet of that kind. */
  rememberedOf(kind: WalletKind): string | undefined;
}

export interface DirectoryOptions {
  readonly market: MarketClient;
  readonly sandbox: boolean;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

const memoryOf = (kind: WalletKind): string => `market.wallet.${kind}`;

export function openWalletDirectory({ market, sandbox, storage }: DirectoryOptions): WalletDirectory {
  let current: WalletsNow = { offers: [], sessions: new Map() };
  const listeners = new Set<() => void>();
  const change = (next: Partial<WalletsNow>): void => {
    current = { ...current, ...next };
    for (const listener of listeners) listener();
  };
  const found = (offer: WalletOffer): void => change({ offers: [...current.offers, offer] });
  const broadcastForeign = async (network: string, signed: string): Promise<string> =>
    (await market.payments.handIn({ network: network as 'solana-mainnet', signed_transaction: signed })).data.reference;

  const rpcUrlOf = async (network: string): Promise<string | undefined> =>
    (await market.sandbox.info()).data.networks.find((candidate) => candidate.network === network)?.rpc_url;
  const broadcastCall = async (signed: string): Promise<void> => {
    const url = await rpcUrlOf(usualNetwork.evm);
    const sent = url === undefined ? undefined : await askNode(url, 'eth_sendRawTransaction', [signed]);
    if (sent === undefined) throw new WalletProblem('failed', 'The sandbox’s node did not take the transaction.');
  };
  if (sandbox) {
    const surroundings = {
      storage,
      broadcastCall,
      broadcastForeign: ({ network, signed }: { readonly network: string; readonly signed: string }) => broadcastForeign(network, signed),
    };
    change({ offers: testWalletOffers(surroundings) });
  }
  watchEvmWallets(found, sandbox ? { requireSandboxNode: createSandboxNodeCheck(rpcUrlOf) } : {});
  watchSolanaWallets(found, (signed) => broadcastForeign('solana-mainnet', signed));

  function drop(offerId: string): void {
    const sessions = new Map(current.sessions);
    if (sessions.delete(offerId)) change({ sessions });
  }

  async function open(offerId: string, silently: boolean): Promise<WalletSession | undefined> {
    const known = current.sessions.get(offerId);
    if (known !== undefined) return known;
    const offer = current.offers.find(({ id }) => id === offerId);
    const session = await offer?.connect(silently);
    if (session === undefined) return undefined;
    change({ sessions: new Map([...current.sessions, [offerId, session]]) });
    // A changed account or network ends the session; the wallet is asked again on its next use.
    session.onChange(() => drop(offerId));
    storage.setItem(memoryOf(session.kind), offerId);
    return session;
  }

  return {
    now: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async connect(offerId) {
      const session = await open(offerId, false);
      if (session === undefined) throw new Error('This wallet is no longer there. Reload the page.');
      return session;
    },
    resume: (offerId) => open(offerId, true),
    forget(offerId) {
      drop(offerId);
      for (const kind of ['evm', 'solana'] as const) if (storage.getItem(memoryOf(kind)) === offerId) storage.removeItem(memoryOf(kind));
    },
    rememberedOf: (kind) => storage.getItem(memoryOf(kind)) ?? undefined,
  };
}
