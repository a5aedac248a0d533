/**
 * The sandbox's Base has the real one's number and the same USDC address, so a wallet that stands on the real network would pay real
 * money to an unwatched address. Its node must therefore show the first block of the sandbox's chain before it is asked to pay.
 */
import type { EvmProvider } from './evm-wallets.ts';
import { type PayableNetwork, WalletProblem } from './wallet-session.ts';

const FIRST_BLOCK = ['0x0', false];

export function createSandboxNodeCheck(rpcUrlOf: (network: string) => Promise<string | undefined>) {
  return async (provider: EvmProvider, { network }: PayableNetwork): Promise<void> => {
    const url = await rpcUrlOf(network);
    const ours = url === undefined ? undefined : await askNode(url);
    const theirs = hashOf(await provider.request({ method: 'eth_getBlockByNumber', params: FIRST_BLOCK }).catch(() => undefined));
    if (ours !== undefined && ours === theirs) return;
    throw new WalletProblem(
      'real_money',
      'This is a sandbox, and this wallet stands on a real network. It is not asked to pay. Use the test wallet.',
    );
  };
}

async function askNode(url: string): Promise<string | undefined> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: FIRST_BLOCK }),
  });
  const answer: unknown = await response.json();
  return hashOf(answer !== null && typeof answer === 'object' && 'result' in answer ? answer.result : undefined);
}

function hashOf(block: unknown): string | undefined {
  return block !== null && typeof block === 'object' && 'hash' in block ? String(block.hash) : undefined;
}
