/** An installed EVM wallet for a browser test, announced to the page by EIP-6963; its key and its node are in the test. */
import type { Page } from 'playwright-core';
import { createWalletClient, type Hex, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { call } from '../harness/http.ts';
import type { TestMarket } from '../harness/market.ts';

export interface InjectedWallet {
  readonly address: string;
  /** Requested methods, in order. */
  readonly asked: string[];
  /** Answers the next request of this method with this error. */
  refuseNext(method: string, error: { readonly code: number; readonly message: string }): void;
}

export interface InjectOptions {
  readonly realNode?: boolean;
  /** Uses this key instead of a new one. */
  readonly key?: Hex;
}

export async function injectWallet(
  page: Page,
  market: TestMarket,
  { realNode = false, key = generatePrivateKey() }: InjectOptions = {},
): Promise<InjectedWallet> {
  const account = privateKeyToAccount(key);
  const asked: string[] = [];
  const refusals = new Map<string, { readonly code: number; readonly message: string }>();
  const rpcUrl = market.localChains?.networks.find(({ network }) => network === 'base-mainnet')?.rpcUrl ?? '';
  const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl) });
  await page.exposeFunction('askTestWallet', async (method: string, params: readonly unknown[]) => {
    asked.push(method);
    const refusal = refusals.get(method);
    refusals.delete(method);
    if (refusal !== undefined) return { error: refusal };
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return { result: [account.address] };
    if (method === 'eth_chainId') return { result: '0x2105' };
    if (method === 'personal_sign') return { result: await account.signMessage({ message: { raw: params[0] as Hex } }) };
    if (method === 'eth_sendTransaction') {
      const { to, data } = params[0] as { to: Hex; data: Hex };
      return { result: await wallet.sendTransaction({ to, data }) };
    }
    if (realNode) return { result: { hash: `0x${'f'.repeat(64)}` } };
    const reply = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return await reply.json();
  });
  await page.addInitScript(announceInPage);
  return { address: account.address, asked, refuseNext: (method, error) => void refusals.set(method, error) };
}

/** This function runs in the page. */
function announceInPage(): void {
  type Answer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } };
  const ask = (globalThis as unknown as { askTestWallet(method: string, params: readonly unknown[]): Promise<Answer> }).askTestWallet;
  const provider = {
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      const { result, error } = await ask(method, params);
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    on: () => undefined,
    removeListener: () => undefined,
  };
  const info = {
    uuid: crypto.randomUUID(),
    name: 'Injected',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
    rdns: 'com.example.injected',
  };
  // The page's window, which Node's types lack.
  const window = globalThis as unknown as EventTarget;
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}

export async function fundOnBase(market: TestMarket, address: string, usdc = '50'): Promise<void> {
  await call(market.url, 'POST /sandbox/faucet', { body: { network: 'base-mainnet', address, usdc, native: '1' } });
}
