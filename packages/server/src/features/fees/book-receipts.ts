/** Reads what arrived in the vault and books it: shared out where the transaction names one token on record, else to the float. */
import { splitCreatorFee } from '@market/contract';
import type { CoinChange } from '../../platform/chains/coin-reader.ts';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Posting, post } from '../ledger/index.ts';
import { agentShare, buybackShare, float, partnerShare, vault } from './fee-accounts.ts';
import type { FeesContext } from './fees-context.ts';
import { findTokens, insertReceipt, moveCursor, readCursor, type TokenOnRecord } from './repository.ts';

const PER_ROUND = 50;

export interface Booked {
  readonly receipts: number;
  readonly lamports: bigint;
  readonly newest: string | undefined;
}

type Context = Pick<FeesContext, 'database' | 'events' | 'feeVault'>;

/** `known` is where the last round ended, if the caller has just read it. */
export async function bookReceipts(context: Context, known?: string | null): Promise<Booked> {
  let [receipts, lamports, newest] = [0, 0n, undefined as string | undefined];
  for (let from = known; ; from = undefined) {
    const round = await bookRound(context, from);
    receipts += round.receipts;
    lamports += round.lamports;
    newest = round.newest ?? newest;
    if (!round.more) return { receipts, lamports, newest };
  }
}

const NONE: Booked = { receipts: 0, lamports: 0n, newest: undefined };

async function bookRound(
  { database, events, feeVault }: Context,
  known: string | null | undefined,
): Promise<Booked & { readonly more: boolean }> {
  const coins = feeVault?.coins;
  if (coins === undefined) return { ...NONE, more: false };
  const from = known === undefined ? await readCursor(database.db) : known;
  const { references, cursor } = await coins.listWalletTransactions(from, PER_ROUND);
  if (cursor === from) return { ...NONE, more: false };
  const changes: (readonly [string, CoinChange])[] = [];
  for (const reference of references) changes.push([reference, await coins.readCoinChange(reference)]);
  // What the vault itself sent is booked by its payout.
  const received = changes.filter(([, { change }]) => change > 0n);
  const tokens = await findTokens(database.db, [...new Set(received.flatMap(([, { named }]) => named))]);
  return await database.transaction(async (tx) => {
    if (!(await moveCursor(tx, from, cursor))) return { ...NONE, more: true };
    let [receipts, lamports, newest] = [0, 0n, undefined as string | undefined];
    for (const [reference, change] of received) {
      const named = tokens.filter(({ mint }) => change.named.includes(mint));
      const token = named.length === 1 ? named[0] : undefined;
      if (!(await bookReceipt(tx, reference, change, token))) continue;
      [receipts, lamports, newest] = [receipts + 1, lamports + change.change, reference];
      if (token !== undefined) await events.append(tx, [feeEvent(reference, change.change, token)]);
    }
    reachCrashPoint('fees.before_book_commit');
    return { receipts, lamports, newest, more: true };
  });
}

function feeEvent(reference: string, lamports: bigint, { mint, agentId, path }: TokenOnRecord) {
  const data = { mint, reference, lamports: String(lamports), agent_lamports: String(splitCreatorFee(lamports, path).agent) };
  return { type: 'agent.creator_fee', subjectId: agentId, agentId, data };
}

async function bookReceipt(
  tx: Tx,
  reference: string,
  { change, blockTime }: CoinChange,
  token: TokenOnRecord | undefined,
): Promise<boolean> {
  const shares = token === undefined ? undefined : sharesOf(change, token);
  const isNew = await insertReceipt(tx, { reference, lamports: change, blockTime, ...(shares?.columns ?? UNASSIGNED) });
  if (!isNew) return false;
  await post(tx, {
    kind: 'creator_fee_received',
    subjectId: reference,
    idempotencyKey: `creator-fee:${reference}`,
    entries: [{ account: vault, micros: -change }, ...(shares?.entries ?? [{ account: float, micros: change }])],
  });
  return true;
}

const UNASSIGNED = { mint: null, agentId: null, path: null, agentLamports: 0n, partnerLamports: 0n, buybackLamports: 0n };

export function sharesOf(lamports: bigint, { mint, agentId, path }: TokenOnRecord) {
  const { agent, partner, buyback } = splitCreatorFee(lamports, path);
  const entries: Posting['entries'] = [
    { account: agentShare(mint), micros: agent },
    { account: partnerShare, micros: partner },
    { account: buybackShare, micros: buyback },
  ];
  return { columns: { mint, agentId, path, agentLamports: agent, partnerLamports: partner, buybackLamports: buyback }, entries };
}
