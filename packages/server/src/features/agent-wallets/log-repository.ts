/** The SQL of the custody log and of withdraw addresses. */
import type { AgentId, NetworkName, WalletAction, WalletActor } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holdsText } from '../../platform/db/holds-text.ts';
import { beyondCursor, cutPage, type SortKey } from '../../platform/db/keyset.ts';
import type { WithdrawAddressesTable } from '../../platform/db/schema.generated.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';

export interface NewLogEntry {
  readonly agentId: AgentId;
  readonly action: WalletAction;
  readonly orderedBy: WalletActor;
  readonly network?: NetworkName;
  readonly address?: string | null;
  readonly effectiveAt?: Date;
  readonly movementId?: string;
}

export async function insertLogEntry(tx: Tx, entry: NewLogEntry): Promise<void> {
  const { network = null, address = null, effectiveAt = null, movementId = null, ...rest } = entry;
  await tx
    .insertInto('walletLog')
    .values({ ...rest, network, address, effectiveAt, movementId })
    .execute();
}

/** A log entry with the current state of its movement. */
export interface LogRow {
  readonly id: bigint;
  readonly at: Date;
  readonly action: WalletAction;
  readonly orderedBy: WalletActor;
  readonly network: NetworkName | null;
  readonly address: string | null;
  readonly effectiveAt: Date | null;
  readonly movementId: string | null;
  readonly state: 'queued' | 'signed' | 'sent' | 'unknown' | 'confirmed' | 'failed' | null;
  readonly asset: 'usdc' | 'native' | null;
  readonly amount: bigint | null;
  readonly reason: string | null;
  readonly frontedNative: bigint | null;
  /** Reference of the confirmed transaction, otherwise of the latest signed attempt. */
  readonly reference: string | null;
}

const newestFirst: readonly SortKey<LogRow>[] = [{ column: sql`l.id`, type: 'int8', of: (row) => row.id }];

const reference = sql<string | null>`coalesce(m.reference, (select a.reference from outgoing_attempts a
  where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1))`;

export async function listLog(
  db: Db,
  agentId: AgentId,
  page: { readonly q?: string | undefined; readonly limit: number; readonly offset: number; readonly cursor?: string | undefined },
): Promise<{ rows: LogRow[]; total: number; nextCursor: string | null }> {
  const matching = db
    .selectFrom('walletLog as l')
    .leftJoin('walletMovements as m', 'm.id', 'l.movementId')
    .where('l.agentId', '=', agentId)
    .where(holdsText(page.q, sql`l.action, l.ordered_by, l.address, l.movement_id, m.reason, ${reference}`));
  let query = matching
    .select(['l.id', 'l.at', 'l.action', 'l.orderedBy', 'l.network', 'l.address', 'l.effectiveAt', 'l.movementId'])
    .select(['m.state', 'm.asset', 'm.amount', 'm.reason', 'm.frontedNative'])
    .select(reference.as('reference'))
    .orderBy('l.id', 'desc')
    .limit(page.limit + 1);
  query = page.cursor === undefined ? query.offset(page.offset) : query.where(beyondCursor('wallet_log', newestFirst, page.cursor));
  const rows = (await query.execute()) as LogRow[];
  const count = await matching.select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow();
  return { ...cutPage(rows, page.limit, 'wallet_log', newestFirst), total: count.count };
}

export type WithdrawRow = Selectable<WithdrawAddressesTable>;

export async function listWithdrawAddresses(db: Db, agentId: AgentId): Promise<readonly WithdrawRow[]> {
  return await db.selectFrom('withdrawAddresses').selectAll().where('agentId', '=', agentId).execute();
}

export async function writeWithdrawAddress(
  tx: Tx,
  row: { readonly agentId: AgentId; readonly kind: WalletKind } & Pick<WithdrawRow, 'address'>,
): Promise<void> {
  const { address } = row;
  await tx
    .insertInto('withdrawAddresses')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agentId', 'kind']).doUpdateSet({ address, updatedAt: sql`market_now()` }))
    .execute();
}
