/** The SQL of the books. Posting is one round trip to a database function that makes, locks and checks everything. */
import type { NetworkName } from '@market/contract';
import { CompiledQuery, sql } from 'kysely';
import { arrayLiteral } from '../../platform/db/array-literal.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { deferred } from '../../platform/db/pipelined-driver.ts';
import type { CoinAccount, LedgerAccount } from './accounts.ts';

export interface Posting {
  /** Kind of movement: `payment_received`, `escrow_released`, … */
  readonly kind: string;
  /** Id of the record that the posting is about. */
  readonly subjectId: string;
  /** Postings with the same key are made once. */
  readonly idempotencyKey: string;
  readonly entries: readonly { readonly account: LedgerAccount | CoinAccount; readonly micros: bigint }[];
}

/** False when this movement was posted before. */
export async function insertPosting(tx: Tx, posting: Posting): Promise<boolean> {
  const { rows } = await tx.executeQuery<{ id: bigint | null }>(CompiledQuery.raw(POST, valuesOf(posting)));
  return rows[0]?.id != null;
}

/** Queues postings in this order. They are sent with the next statement whose result is needed, or with the commit. */
export async function insertPostings(tx: Tx, postings: readonly Posting[]): Promise<void> {
  for (const posting of postings) await tx.executeQuery(deferred(POST, valuesOf(posting)));
}

const POST = 'select post_ledger_transfer($1, $2, $3, $4, $5, $6, $7) as id';

/** Arguments of the posting function. Entries are sorted, so that concurrent postings create missing accounts in one order and cannot deadlock. */
function valuesOf({ kind, subjectId, idempotencyKey, entries }: Posting): unknown[] {
  const sorted = [...entries].sort((one, other) => (nameOf(one.account) < nameOf(other.account) ? -1 : 1));
  return [
    kind,
    subjectId,
    idempotencyKey,
    arrayLiteral(sorted, ({ account }) => account.kind),
    arrayLiteral(sorted, ({ account }) => account.owner),
    arrayLiteral(sorted, ({ account }) => account.network),
    arrayLiteral(sorted, ({ micros }) => String(micros)),
  ];
}

function nameOf({ kind, owner, network }: LedgerAccount | CoinAccount): string {
  return `${kind}/${owner}/${network}`;
}

export async function readBalance(db: Db, account: LedgerAccount): Promise<bigint> {
  if (account.kind === 'treasury') return -(await readOwed(db, account.network));
  const row = await db
    .selectFrom('ledgerAccounts')
    .select('balanceMicros')
    .where('kind', '=', account.kind)
    .where('owner', '=', account.owner)
    .where('network', '=', account.network)
    .executeTakeFirst();
  return row?.balanceMicros ?? 0n;
}

/** Same as `readBalance`, and locks the balance until the transaction ends. */
export async function lockBalance(tx: Tx, account: LedgerAccount | CoinAccount): Promise<bigint> {
  const row = await tx
    .selectFrom('ledgerAccounts')
    .select('balanceMicros')
    .where('kind', '=', account.kind)
    .where('owner', '=', account.owner)
    .where('network', '=', account.network)
    .forUpdate()
    .executeTakeFirst();
  return row?.balanceMicros ?? 0n;
}

/** The marketplace's own money in a network's treasury that is not lent. Locked until the transaction ends. */
export async function lockFloat(tx: Tx, network: NetworkName): Promise<bigint> {
  const { rows } = await sql<{ float: bigint }>`select lock_ledger_float(${network}) as float`.execute(tx);
  return rows[0]?.float ?? 0n;
}

/** Same as `lockFloat` without the lock, so the value may change at any time. */
export async function readFloat(db: Db, network: NetworkName): Promise<bigint> {
  const { rows } = await sql<{ float: bigint }>`
    select coalesce(sum(balance_micros), 0)::bigint as float from ledger_accounts
    where kind in ('interchain', 'platform_fee') and owner = '' and network = ${network}`.execute(db);
  return rows[0]?.float ?? 0n;
}

/** Sum of everything owed on a network. It equals what its treasury holds. */
async function readOwed(db: Db, network: NetworkName): Promise<bigint> {
  const { rows } = await sql<{ owed: bigint }>`
    select coalesce(sum(balance_micros), 0)::bigint as owed from ledger_accounts where network = ${network} and kind <> 'treasury'`.execute(
    db,
  );
  return rows[0]?.owed ?? 0n;
}

/** Networks on which something is owed, so that their treasury holds money; creator fees as `solana-mainnet/sol`. */
export async function listOwingNetworks(db: Db): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select network from ledger_accounts where kind <> 'treasury' group by network having sum(balance_micros) <> 0`.execute(db);
  return rows.map(({ network }) => network);
}

export async function sealTransfers(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ sealed: number }>`select seal_ledger(${limit}) as sealed`.execute(db);
  return rows[0]?.sealed ?? 0;
}
