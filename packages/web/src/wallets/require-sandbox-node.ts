/**
 * The sandbox's Base has the chain id and USDC address of the real one. So a wallet on the real network would pay real money to an
 * unwatched address. So the wallet's node must show the first block of the sandbox's chain before the wallet is asked to pay.
 */
import type { EvmProvider } from './evm-wallets.ts';
import { type PayableNetwork, WalletProblem } from './wallet-session.ts';

const FIRST_BLOCK = ['0x0', false];

export function createSandboxNodeCheck(rpcUrlOf: (network: string) => Promise<string | undefined>) {
  return async (provider: EvmProvider, { network }: PayableNetwork): Promise<void> => {
    const url = await rpcUrlOf(network);
    const ours = url === undefined ? undefined : hashOf(await askNode(url, 'eth_getBlockByNumber', FIRST_BLOCK));
    const theirs = hashOf(await provider.request({ method: 'eth_getBlockByNumber', params: FIRST_BLOCK }).catch(() => undefined));
    if (ours !== undefined && ours === theirs) return;
    throw new WalletProblem(
      'real_money',
      'This is a sandbox, and this wallet stands on a real network. It is not asked to pay. Use the test wallet.',
    );
  };
}

/** The answer of a sandbox node; undefined if it refused. */
export async function askNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer: unknown = await response.json();
  return answer !== null && typeof answer === 'object' && 'result' in answer ? answer.result : undefined;
}

function hashOf(block: unknown): string | undefined {
  return block !== null && typeof block === 'object' && 'hash' in block ? String(block.hash) : undefined;
}
