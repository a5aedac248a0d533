/** Books SOL that arrived in the vault. Fees that the chain shows for a token on record are shared out; the rest goes to the float. */
import { splitCreatorFee } from '@market/contract';
import type { CoinChange } from '../../../platform/chains/coin-reader.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { type Posting, post } from '../../ledger/index.ts';
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
  // Payouts book what the vault itself sent.
  const received = changes.filter(([, { change }]) => change > 0n);
  const mints = new Set(received.flatMap(([, { creatorFees }]) => creatorFees.map(({ mint }) => mint)));
  const tokens = await findTokens(database.db, [...mints]);
  return await database.transaction(async (tx) => {
    if (!(await moveCursor(tx, from, cursor))) return { ...NONE, more: true };
    let [receipts, lamports, newest] = [0, 0n, undefined as string | undefined];
    for (const [reference, change] of received) {
      const parts = partsOf(change, tokens);
      if (!(await bookTransaction(tx, reference, change, parts))) continue;
      [receipts, lamports, newest] = [receipts + 1, lamports + change.change, reference];
      const fees = parts.flatMap((part) => (part.token === undefined ? [] : [feeEvent(reference, part.lamports, part.token)]));
      if (fees.length > 0) await events.append(tx, fees);
    }
    reachCrashPoint('fees.before_book_commit');
    return { receipts, lamports, newest, more: true };
  });
}

interface FeePart {
  readonly lamports: bigint;
  /** Undefined: the chain shows no token that it belongs to. */
  readonly token: TokenOnRecord | undefined;
}

/** Returns one part per token, and one for the rest. Strangers who add something to a transaction take nothing away from its tokens. */
function partsOf({ change, creatorFees }: CoinChange, tokens: readonly TokenOnRecord[]): readonly FeePart[] {
  const shown = tokens.flatMap((token) => {
    const own = creatorFees.filter(
      ({ mint, declaredBy }) => mint === token.mint && (declaredBy ?? token.creatorWallet) === token.creatorWallet,
    );
    const lamports = own.reduce((sum, { amount }) => sum + amount, 0n);
    return lamports > 0n ? [{ token, lamports }] : [];
  });
  const rest = change - shown.reduce((sum, { lamports }) => sum + lamports, 0n);
  // SOL also left the vault in this transaction, so nobody knows whose part is missing.
  if (rest < 0n) return [{ lamports: change, token: undefined }];
  return rest > 0n ? [...shown, { lamports: rest, token: undefined }] : shown;
}

function feeEvent(reference: string, lamports: bigint, { mint, agentId, path }: TokenOnRecord) {
  const data = { mint, reference, lamports: String(lamports), agent_lamports: String(splitCreatorFee(lamports, path).agent) };
  return { type: 'agent.creator_fee', subjectId: agentId, agentId, data };
}

/** False when the transaction is booked already: it is always booked whole. */
async function bookTransaction(tx: Tx, reference: string, { blockTime }: CoinChange, parts: readonly FeePart[]): Promise<boolean> {
  for (const [part, { lamports, token }] of parts.entries()) {
    const shares = token === undefined ? undefined : sharesOf(lamports, token);
    const isNew = await insertReceipt(tx, { reference, part, lamports, blockTime, ...(shares?.columns ?? UNASSIGNED) });
    if (!isNew) return false;
    await post(tx, {
      kind: 'creator_fee_received',
      subjectId: reference,
      idempotencyKey: part === 0 ? `creator-fee:${reference}` : `creator-fee:${reference}:${part}`,
      entries: [{ account: vault, micros: -lamports }, ...(shares?.entries ?? [{ account: float, micros: lamports }])],
    });
  }
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
