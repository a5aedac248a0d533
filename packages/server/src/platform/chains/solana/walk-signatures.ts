/** The final transactions that touched an account, newest first, page by page. */
import type { Address } from '@solana/addresses';
import type { ListedSignature, SignaturePage, SolanaRpc } from './solana-rpc.ts';

export async function* walkSignatures(rpc: SolanaRpc, account: Address, start: SignaturePage): AsyncGenerator<readonly ListedSignature[]> {
  let { before, minContextSlot } = start;
  for (;;) {
    const page = await rpc.listSignatures(account, { ...start, before, minContextSlot });
    const [newest] = page;
    if (newest === undefined) return;
    yield page;
    before = page.at(-1)?.signature;
    // A node that lags behind the first page would wrongly answer that there are no more pages.
    minContextSlot = Math.max(minContextSlot ?? 0, newest.slot);
  }
}
