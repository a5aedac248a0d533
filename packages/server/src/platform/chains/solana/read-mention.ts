/** How a transaction mentions a mint: whether it names it, whether it created it, and who signed. */
import type { MintMention } from '../token-reader.ts';
import { canonicalReference } from './base58-text.ts';
import type { SolanaContext } from './solana-context.ts';

export async function readMention({ rpc }: Pick<SolanaContext, 'rpc'>, text: string, mint: string): Promise<MintMention> {
  const reference = canonicalReference(text);
  const found = reference === undefined ? null : await rpc.findTransaction(reference);
  if (found === null) return { state: 'missing' };
  const { meta, transaction } = found;
  if (meta.err !== null) return { state: 'failed' };
  const { accountKeys, header } = transaction.message;
  const named = [...accountKeys, ...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])];
  const index = named.indexOf(mint);
  return {
    state: 'landed',
    mentionsMint: index >= 0,
    createdMint: index >= 0 && meta.preBalances[index] === 0 && (meta.postBalances[index] ?? 0) > 0,
    signers: accountKeys.slice(0, header.numRequiredSignatures),
  };
}
