/** How much SOL a transaction took out of the treasury, from the balances before and after. Only the treasury itself can cause that. */
import type { Address } from '@solana/addresses';
import type { SolanaTransaction } from './solana-rpc.ts';

/** In lamports, without the fee, which the treasury may also pay for transfers of others. */
export function countGivenLamports({ transaction, meta }: SolanaTransaction, treasury: Address): bigint {
  const { accountKeys } = transaction.message;
  const index = accountKeys.indexOf(treasury);
  const [before, after] = [meta.preBalances[index], meta.postBalances[index]];
  if (before === undefined || after === undefined) return 0n;
  const fee = accountKeys[0] === treasury ? meta.fee : 0;
  return BigInt(before) - BigInt(after) - BigInt(fee);
}
