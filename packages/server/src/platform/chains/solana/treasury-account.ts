/** Opens the USDC account that the treasury needs to be paid; it costs a little SOL, once. */
import { setTimeout as pause } from 'node:timers/promises';
import { ChainUnavailable } from '../chain.ts';
import { broadcast } from './broadcast.ts';
import { composeSigned } from './compose-transaction.ts';
import { createTokenAccount } from './instructions.ts';
import { requireSuccessInTrial } from './sign-transfer.ts';
import { openSolanaContext, type SolanaChainOptions, type SolanaContext } from './solana-context.ts';
import { readTokenAccount } from './token-account.ts';
import { offerFee } from './transaction-fee.ts';

const POLL_MS = 500;
const PATIENCE_MS = 60_000;

/** Safe to run concurrently in several processes: the second one finds the account. */
export async function ensureTreasuryAccount(options: SolanaChainOptions): Promise<'present' | 'created'> {
  const context = await openSolanaContext(options);
  if (await isPresent(context)) return 'present';
  const { signer, rpc, treasury, treasuryAccount, usdcMint } = context;
  if (signer === undefined) {
    throw new Error(
      `The treasury ${treasury} has no USDC account and there is no key to open one. Open ${treasuryAccount} from its wallet.`,
    );
  }
  const opening = createTokenAccount({ payer: treasury, tokenAccount: treasuryAccount, owner: treasury, mint: usdcMint });
  const instructions = [...(await offerFee(context, treasuryAccount)), opening];
  await requireSuccessInTrial(context, instructions, 'usdc');
  const lifetime = await rpc.readLatestBlockhash();
  const signed = { ...(await composeSigned(signer, lifetime, instructions)), validity: lifetime.lastValidBlockHeight.toString() };
  const deadline = performance.now() + PATIENCE_MS;
  do {
    await broadcast(rpc, signed);
    await pause(POLL_MS);
    if (await isPresent(context)) return 'created';
  } while (performance.now() < deadline);
  throw new ChainUnavailable('solana-mainnet', 'the treasury’s USDC account was not opened in time; start again');
}

async function isPresent({ rpc, treasury, treasuryAccount, usdcMint }: SolanaContext): Promise<boolean> {
  const [account] = await rpc.readAccounts([treasuryAccount]);
  if (!account || account.data.length === 0) return false;
  const tokens = readTokenAccount(account);
  if (tokens?.owner === treasury && tokens.mint === usdcMint) return true;
  throw new Error(`${treasuryAccount} should be the treasury’s USDC account but belongs to somebody else. Use another treasury wallet.`);
}
