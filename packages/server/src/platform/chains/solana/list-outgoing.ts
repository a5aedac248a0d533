/** USDC or SOL that left the treasury since the cursor, with the intent that each memo names. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Address } from '@solana/addresses';
import { ChainUnavailable } from '../chain.ts';
import type { SeenOutgoing } from '../seen-outgoing.ts';
import { countGivenLamports } from './judge-native-payout.ts';
import { judgeTransaction, listReceivers } from './judge-transaction.ts';
import { readListedIntent } from './payout-memo.ts';
import type { SolanaContext } from './solana-context.ts';
import type { ListedSignature, SolanaTransaction } from './solana-rpc.ts';
import { walkSignatures } from './walk-signatures.ts';

export interface OutgoingPage {
  readonly transfers: readonly SeenOutgoing[];
  readonly cursor: string;
}

type FindKnown = (references: readonly string[]) => Promise<ReadonlySet<string>>;
type Given = Pick<SeenOutgoing, 'destination' | 'micros'>;

export async function listOutgoing(context: SolanaContext, cursor: string | null, findKnown: FindKnown): Promise<OutgoingPage> {
  return await listFrom(context, context.treasuryAccount, { cursor, findKnown, judge: (transaction) => judgeUsdc(context, transaction) });
}

/** `micros` are lamports here, without the fee. */
export async function listOutgoingCoins(context: SolanaContext, cursor: string | null, findKnown: FindKnown): Promise<OutgoingPage> {
  return await listFrom(context, context.treasury, { cursor, findKnown, judge: (transaction) => judgeCoins(context, transaction) });
}

interface Listing {
  readonly cursor: string | null;
  readonly findKnown: FindKnown;
  /** Undefined when the treasury lost nothing. */
  readonly judge: (transaction: SolanaTransaction) => Given | undefined;
}

/** The cursor is the newest final signature; an empty cursor means that there was none yet. */
async function listFrom(context: SolanaContext, account: Address, { cursor, findKnown, judge }: Listing): Promise<OutgoingPage> {
  if (cursor === null) return { transfers: [], cursor: (await context.rpc.listSignatures(account, {}))[0]?.signature ?? '' };
  const until = cursor === '' ? undefined : cursor;
  const transfers: SeenOutgoing[] = [];
  let newest: string | undefined;
  for await (const page of walkSignatures(context.rpc, account, { until, commitment: 'confirmed' })) {
    newest ??= page.find(({ confirmationStatus }) => confirmationStatus === 'finalized')?.signature;
    const landed = page.filter(({ err }) => err === null);
    const known = await findKnown(landed.map(({ signature }) => signature));
    for (const entry of landed) {
      if (known.has(entry.signature)) continue;
      const outgoing = await readOutgoing(context, entry, judge);
      if (outgoing !== undefined) transfers.push(outgoing);
    }
  }
  return { transfers, cursor: newest ?? cursor };
}

async function readOutgoing(
  { rpc }: SolanaContext,
  { signature, memo }: ListedSignature,
  judge: Listing['judge'],
): Promise<SeenOutgoing | undefined> {
  const transaction = await rpc.findTransaction(signature);
  if (transaction === null) throw new ChainUnavailable('solana-mainnet', `the node lists ${signature} but does not show it`);
  const given = judge(transaction);
  return given && { reference: signature, position: 0, intentKey: readListedIntent(memo) ?? null, ...given };
}

function judgeUsdc(context: SolanaContext, transaction: SolanaTransaction): Given | undefined {
  const { receivedMicros } = judgeTransaction(transaction, context);
  if (receivedMicros >= 0n) return undefined;
  const [receiver] = listReceivers(transaction, context.usdcMint);
  return { destination: receiver ?? '', micros: -receivedMicros };
}

function judgeCoins({ treasury }: SolanaContext, transaction: SolanaTransaction): Given | undefined {
  const micros = countGivenLamports(transaction, treasury);
  if (micros <= 0n) return undefined;
  const { accountKeys } = transaction.transaction.message;
  const { preBalances, postBalances } = transaction.meta;
  const gains = accountKeys.map((address, at) => ({ address, gained: (postBalances[at] ?? 0) - (preBalances[at] ?? 0) }));
  const most = gains.toSorted((one, other) => other.gained - one.gained)[0];
  return { destination: most !== undefined && most.gained > 0 ? most.address : '', micros };
}

const POLL_MS = 500;
const PATIENCE_MS = 240_000;

/** Waits until the newest blockhash expires: until then, transactions signed before can land. */
export async function awaitLateTransfers({ rpc }: SolanaContext): Promise<void> {
  const { lastValidBlockHeight } = await rpc.readLatestBlockhash();
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(POLL_MS)) {
    if ((await rpc.readFinalHead()).blockHeight > lastValidBlockHeight) return;
  }
  throw new ChainUnavailable('solana-mainnet', 'the chain did not move on far enough; try again');
}
