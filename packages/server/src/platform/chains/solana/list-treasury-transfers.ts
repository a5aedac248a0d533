/** Lists new transfers of the treasury's USDC, to find payments that nobody reported. */
import type { TransferPage } from '../chain.ts';
import type { SolanaContext } from './solana-context.ts';
import type { ListedSignature } from './solana-rpc.ts';
import { walkSignatures } from './walk-signatures.ts';

/** Nodes list the newest first. Of a long backlog only the oldest part is kept, because the cursor continues there. */
export async function listTreasuryTransfers(
  context: SolanaContext,
  cursor: string | null,
  limit: number,
  upTo: 'final' | 'newest' = 'final',
): Promise<TransferPage> {
  const commitment = upTo === 'final' ? 'finalized' : 'confirmed';
  let oldest: readonly ListedSignature[] = [];
  let hasMore = false;
  for await (const page of walkSignatures(context.rpc, context.treasuryAccount, { until: cursor ?? undefined, commitment })) {
    const listed = [...oldest, ...page];
    oldest = listed.slice(-Math.max(limit, 1));
    hasMore ||= oldest.length < listed.length;
  }
  const inOrder = oldest.toReversed();
  return {
    references: inOrder.filter(({ err }) => err === null).map(({ signature }) => signature),
    cursor: inOrder.at(-1)?.signature ?? cursor,
    hasMore,
  };
}
