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
  readonly lamports: bigint;
  readonly newest: string | undefined;
}

/** `known` is where the last round ended, if the caller has just read it. */
export async function bookReceipts(context: FeesContext, known?: string | null): Promise<Booked> {
  let [lamports, newest] = [0n, undefined as string | undefined];
  for (let from = known; ; from = undefined) {
    const round = await bookRound(context, from);
    lamports += round.lamports;
    newest = round.newest ?? newest;
    if (!round.more) return { lamports, newest };
  }
}

async function bookRound(
  { database, events, feeVault }: FeesContext,
  known: string | null | undefined,
): Promise<Booked & { readonly more: boolean }> {
  const coins = feeVault?.coins;
  if (coins === undefined) return { lamports: 0n, newest: undefined, more: false };
  const from = known === undefined ? await readCursor(database.db) : known;
  const { references, cursor } = await coins.listWalletTransactions(from, PER_ROUND);
  if (cursor === from) return { lamports: 0n, newest: undefined, more: false };
  const changes: (readonly [string, CoinChange])[] = [];
  for (const reference of references) changes.push([reference, await coins.readCoinChange(reference)]);
  // What the vault itself sent is booked by its payout.
  const received = changes.filter(([, { change }]) => change > 0n);
  const tokens = await findTokens(database.db, [...new Set(received.flatMap(([, { named }]) => named))]);
  return await database.transaction(async (tx) => {
    if (!(await moveCursor(tx, from, cursor))) return { lamports: 0n, newest: undefined, more: true };
    let [lamports, newest] = [0n, undefined as string | undefined];
    for (const [reference, change] of received) {
      const named = tokens.filter(({ mint }) => change.named.includes(mint));
      const token = named.length === 1 ? named[0] : undefined;
      if (!(await bookReceipt(tx, reference, change, token))) continue;
      [lamports, newest] = [lamports + change.change, reference];
      if (token !== undefined) await events.append(tx, [feeEvent(reference, change.change, token)]);
    }
    reachCrashPoint('fees.before_book_commit');
    return { lamports, newest, more: true };
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
