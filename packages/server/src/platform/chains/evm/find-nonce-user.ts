/** Finds the transaction of the treasury that used an account nonce, in the block that used the nonce up. */
import type { Hex } from 'viem';
import { ChainUnavailable } from '../chain.ts';
import { readBlockTransactions, readTransactionCount } from './ask-node.ts';
import type { EvmContext } from './evm-context.ts';

/** The nonce must be used as of `spentBy`, a final block. */
export async function findNonceUser(context: EvmContext, nonce: bigint, spentBy: bigint): Promise<Hex> {
  const blockNumber = await findSpendingBlock(context, nonce, spentBy);
  const transactions = await readBlockTransactions(context, blockNumber);
  const user = transactions.find((entry) => entry.from === context.treasury.toLowerCase() && entry.nonce === nonce);
  if (user === undefined)
    throw new ChainUnavailable(context.network, `block ${blockNumber} does not show what used nonce ${nonce} of the treasury`);
  return user.hash;
}

/** Searches backwards in growing steps, because the nonce was probably used recently, then by bisection. */
async function findSpendingBlock(context: EvmContext, nonce: bigint, spentBy: bigint): Promise<bigint> {
  const isSpentAt = async (block: bigint) => (await readTransactionCount(context, context.treasury, block)) > nonce;
  let spent = spentBy;
  let unspent = spentBy - 1n;
  for (let step = 2n; unspent >= 0n && (await isSpentAt(unspent)); step *= 2n) {
    spent = unspent;
    unspent -= step;
  }
  if (unspent < 0n) unspent = -1n;
  while (spent - unspent > 1n) {
    const middle = (spent + unspent) / 2n;
    if (await isSpentAt(middle)) spent = middle;
    else unspent = middle;
  }
  return spent;
}
