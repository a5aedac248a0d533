/** Installed EVM wallets, found by their announcements (EIP-6963). No wallet library, because we need only one method of a provider. */
import { type NetworkName, networkFacts } from '@market/contract';
import {
  explainWalletError,
  type PayableNetwork,
  type PreparedCall,
  type WalletOffer,
  WalletProblem,
  type WalletSession,
} from './wallet-session.ts';

export interface EvmProvider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): void;
  removeListener?(event: string, listener: (value: unknown) => void): void;
}

interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string; readonly rdns: string };
  readonly provider: EvmProvider;
}

export interface EvmSurroundings {
  /** For the sandbox, whose chain has Base's chain id: proves that the wallet's node is the sandbox's and not the real one. */
  readonly requireSandboxNode?: ((provider: EvmProvider, network: PayableNetwork) => Promise<void>) | undefined;
}

/** Reports every wallet once, now and later. Starts to listen before it asks, because wallets answer at once. */
export function watchEvmWallets(found: (offer: WalletOffer) => void, surroundings: EvmSurroundings = {}): () => void {
  const seen = new Set<string>();
  const hear = (event: Event): void => {
    const { info, provider } = ((event as CustomEvent<Partial<Announcement> | null>).detail ?? {}) as Partial<Announcement>;
    if (typeof info?.rdns !== 'string' || typeof info.name !== 'string' || typeof provider?.request !== 'function') return;
    if (seen.has(info.rdns)) return;
    seen.add(info.rdns);
    found(offerOf(info, provider, surroundings));
  };
  addEventListener('eip6963:announceProvider', hear);
  dispatchEvent(new Event('eip6963:requestProvider'));
  const timer = setTimeout(() => {
    const injected = (globalThis as { readonly ethereum?: EvmProvider }).ethereum;
    if (seen.size > 0 || typeof injected?.request !== 'function') return;
    found(offerOf({ uuid: 'injected', name: 'Browser wallet', icon: '', rdns: 'injected' }, injected, surroundings));
  }, FALLBACK_MS);
  return () => {
    clearTimeout(timer);
    removeEventListener('eip6963:announceProvider', hear);
  };
}

const FALLBACK_MS = 400;
const MAX_NAME = 40;

function offerOf(info: Announcement['info'], provider: EvmProvider, surroundings: EvmSurroundings): WalletOffer {
  const id = `evm:${info.rdns}`;
  const name = info.name.slice(0, MAX_NAME);
  return {
    id,
    kind: 'evm',
    name,
    icon: typeof info.icon === 'string' && info.icon.startsWith('data:image/') ? info.icon : undefined,
    isTest: false,
    async connect(silently) {
      const accounts = await ask(provider, silently ? 'eth_accounts' : 'eth_requestAccounts');
      const address = Array.isArray(accounts) ? accounts[0] : undefined;
      if (typeof address === 'string') return sessionOf({ id, name, address, provider, surroundings });
      if (silently) return undefined;
      throw new WalletProblem('locked', 'The wallet gave no account. Unlock it and try again.');
    },
  };
}

interface Connected extends Pick<WalletSession, 'id' | 'name' | 'address'> {
  readonly provider: EvmProvider;
  readonly surroundings: EvmSurroundings;
}

function sessionOf({ id, name, address, provider, surroundings }: Connected): WalletSession {
  const isElsewhere = async ({ chain_id }: PayableNetwork): Promise<boolean> => Number(await ask(provider, 'eth_chainId')) !== chain_id;
  return {
    id,
    name,
    kind: 'evm',
    address,
    signMessage: async (text) => String(await ask(provider, 'personal_sign', [toHex(text), address])),
    isElsewhere,
    async enterNetwork(network) {
      if (await isElsewhere(network)) await switchChain(provider, network);
      if (await isElsewhere(network)) throw new WalletProblem('network_refused', 'The wallet stayed on another network.');
      await surroundings.requireSandboxNode?.(provider, network);
    },
    async payUsdc({ transaction, payer }, keep) {
      if (transaction.kind !== 'evm' || !isSame(payer, address)) throw new Error('This payment is for another wallet.');
      const reference = String(await ask(provider, 'eth_sendTransaction', [callOf(transaction)]));
      keep(reference);
      return reference;
    },
    async sendCall(call, keep) {
      if (!isSame(call.from, address)) throw new Error('This call is for another wallet.');
      const reference = String(await ask(provider, 'eth_sendTransaction', [callOf(call)]));
      keep(reference);
      return reference;
    },
    onChange(listener) {
      const events = ['accountsChanged', 'chainChanged', 'disconnect'];
      for (const event of events) provider.on?.(event, listener);
      return () => {
        for (const event of events) provider.removeListener?.(event, listener);
      };
    },
  };
}

/** The call without fee and nonce, which the wallet chooses. */
function callOf({ from, to, data, value, gas }: PreparedCall): object {
  return { from, to, data, value, gas };
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

async function switchChain(provider: EvmProvider, { chain_id, network }: PayableNetwork): Promise<void> {
  const chainId = `0x${(chain_id ?? 0).toString(16)}`;
  try {
    await ask(provider, 'wallet_switchEthereumChain', [{ chainId }], 'network_refused');
  } catch (error) {
    const known = describeNetwork(network);
    if (!(error instanceof WalletProblem) || error.trouble !== 'unknown_network' || known === undefined) throw error;
    await ask(provider, 'wallet_addEthereumChain', [{ chainId, ...known }], 'network_refused');
  }
}

/** Undefined if no public node is known: then people add the network by hand. */
function describeNetwork(network: NetworkName): object | undefined {
  const { label, coin, publicRpcUrl, explorer } = networkFacts[network];
  if (publicRpcUrl === null) return undefined;
  return { chainName: label, nativeCurrency: coin, rpcUrls: [publicRpcUrl], ...(explorer !== null && { blockExplorerUrls: [explorer] }) };
}

async function ask(
  provider: EvmProvider,
  method: string,
  params: readonly unknown[] = [],
  onRefusal: 'refused' | 'network_refused' = 'refused',
): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw explainWalletError(error, onRefusal);
  }
}

function toHex(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
