/** SOL of the treasury's wallet: the final transactions that touched it, and how each changed it. */
import { ChainUnavailable } from '../chain.ts';
import type { CoinChange } from '../coin-reader.ts';
import { listCreatorFees } from './list-creator-fees.ts';
import { listAccounts } from './listed-instructions.ts';
import type { SolanaContext } from './solana-context.ts';
import type { ListedSignature } from './solana-rpc.ts';
import { walkSignatures } from './walk-signatures.ts';

/** Nodes list the newest first. Of a long backlog only the oldest part is kept, because the cursor continues there. */
export async function listWalletTransactions(
  { rpc, treasury }: Pick<SolanaContext, 'rpc' | 'treasury'>,
  cursor: string | null,
  limit: number,
): Promise<{ references: readonly string[]; cursor: string | null }> {
  let oldest: readonly ListedSignature[] = [];
  for await (const page of walkSignatures(rpc, treasury, { until: cursor ?? undefined })) {
    oldest = [...oldest, ...page].slice(-Math.max(limit, 1));
  }
  const inOrder = oldest.toReversed();
  return {
    references: inOrder.filter(({ err }) => err === null).map(({ signature }) => signature),
    cursor: inOrder.at(-1)?.signature ?? cursor,
  };
}

export async function readCoinChange({ rpc, treasury }: Pick<SolanaContext, 'rpc' | 'treasury'>, reference: string): Promise<CoinChange> {
  const found = await rpc.findTransaction(reference);
  if (found === null || typeof found.blockTime !== 'number')
    throw new ChainUnavailable('solana-mainnet', `${reference} is final, but the node does not show it`);
  const { meta } = found;
  const index = listAccounts(found).indexOf(treasury);
  const [before, after] = [meta.preBalances[index], meta.postBalances[index]];
  const change = before === undefined || after === undefined ? 0n : BigInt(after) - BigInt(before);
  return {
    change,
    fee: index === 0 ? BigInt(meta.fee) : 0n,
    creatorFees: change > 0n ? await listCreatorFees({ rpc, treasury }, found) : [],
    blockTime: new Date(found.blockTime * 1000),
  };
}
