/** USDC that left the treasury since last time, with the payout each memo names. */
import { setTimeout as pause } from 'node:timers/promises';
import { ChainUnavailable, type SeenOutgoing } from '../chain.ts';
import { judgeTransaction, listReceivers } from './judge-transaction.ts';
import { readListedIntent } from './payout-memo.ts';
import type { SolanaContext } from './solana-context.ts';
import type { ListedSignature } from './solana-rpc.ts';
import { walkSignatures } from './walk-signatures.ts';

export interface OutgoingPage {
  readonly transfers: readonly SeenOutgoing[];
  readonly cursor: string;
}

/** The cursor is the newest final signature; an empty one means that there was none yet. */
export async function listOutgoing(
  context: SolanaContext,
  cursor: string | null,
  findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<OutgoingPage> {
  if (cursor === null) return { transfers: [], cursor: (await findNewestFinal(context)) ?? '' };
  const until = cursor === '' ? undefined : cursor;
  const transfers: SeenOutgoing[] = [];
  let newest: string | undefined;
  for await (const page of walkSignatures(context.rpc, context.treasuryAccount, { until, commitment: 'confirmed' })) {
    newest ??= page.find(({ confirmationStatus }) => confirmationStatus === 'finalized')?.signature;
    const landed = page.filter(({ err }) => err === null);
    const known = await findKnown(landed.map(({ signature }) => signature));
    for (const entry of landed) {
      if (known.has(entry.signature)) continue;
      const outgoing = await readOutgoing(context, entry);
      if (outgoing !== undefined) transfers.push(outgoing);
    }
  }
  return { transfers, cursor: newest ?? cursor };
}

async function findNewestFinal({ rpc, treasuryAccount }: SolanaContext): Promise<string | undefined> {
  return (await rpc.listSignatures(treasuryAccount, {}))[0]?.signature;
}

/** Undefined when the treasury lost nothing. */
async function readOutgoing(context: SolanaContext, { signature, memo }: ListedSignature): Promise<SeenOutgoing | undefined> {
  const transaction = await context.rpc.findTransaction(signature);
  if (transaction === null) throw new ChainUnavailable('solana-mainnet', `the node lists ${signature} but does not show it`);
  const { receivedMicros } = judgeTransaction(transaction, context);
  if (receivedMicros >= 0n) return undefined;
  const [receiver] = listReceivers(transaction, context.usdcMint);
  const micros = -receivedMicros;
  return { reference: signature, position: 0, intentKey: readListedIntent(memo) ?? null, destination: receiver ?? '', micros };
}

const POLL_MS = 500;
const PATIENCE_MS = 240_000;

/** Transactions signed until now can land while the newest blockhash is valid. */
export async function awaitLateTransfers({ rpc }: SolanaContext): Promise<void> {
  const { lastValidBlockHeight } = await rpc.readLatestBlockhash();
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(POLL_MS)) {
    if ((await rpc.readFinalHead()).blockHeight > lastValidBlockHeight) return;
  }
  throw new ChainUnavailable('solana-mainnet', 'the chain did not move on far enough; try again');
}
