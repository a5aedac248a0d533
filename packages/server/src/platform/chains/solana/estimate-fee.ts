/** What a payout costs at today's prices: the fee the node names for these very instructions, and the rent of an account it opens. */
import type { OutgoingTransfer } from '../chain.ts';
import { requireAddress } from './base58-text.ts';
import { composeTransaction } from './compose-transaction.ts';
import { preparePayout } from './prepare-payout.ts';
import type { SolanaContext } from './solana-context.ts';
import { deriveTokenAccount, TOKEN_ACCOUNT_BYTES } from './token-account.ts';

export async function estimateFee(context: SolanaContext, transfer: OutgoingTransfer): Promise<bigint> {
  const { rpc, treasury } = context;
  const instructions = await preparePayout(context, transfer);
  const { messageBytes } = composeTransaction(treasury, await rpc.readLatestBlockhash(), instructions);
  const fee = await rpc.readFee(Buffer.from(messageBytes).toString('base64'));
  return transfer.asset === 'usdc' ? fee + (await readRent(context, transfer)) : fee;
}

/** What is missing for the destination's token account; lamports sent there before it was opened count. */
async function readRent({ rpc, usdcMint }: SolanaContext, { destination }: OutgoingTransfer): Promise<bigint> {
  const account = await deriveTokenAccount(requireAddress(destination, 'destination'), usdcMint);
  const [tokens] = await rpc.readAccounts([account]);
  if (tokens && tokens.data.length > 0) return 0n;
  const missing = (await rpc.readRentMinimum(TOKEN_ACCOUNT_BYTES)) - BigInt(tokens?.lamports ?? 0);
  return missing > 0n ? missing : 0n;
}
