/** The SQL of order tokens: issuing, finding and ending them. */
import { type OrderId, orderDurations } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db/database.ts';

/** `presenter`: the first presenter of a bare transfer, who may not be the payer. */
export type TokenHolder = 'payer' | 'presenter';

export interface NewOrderToken {
  readonly tokenHash: Buffer;
  readonly orderId: OrderId;
  readonly readsOnly: boolean;
  readonly holder: TokenHolder;
}

/** Issues tokens of one order. `connectionId` names the connected program that gets them; they end with its connection at the latest. */
export async function insertOrderTokens(
  tx: Tx,
  tokens: readonly NewOrderToken[],
  { expiresAt, connectionId }: { readonly expiresAt: Date; readonly connectionId: string | null },
): Promise<void> {
  const end =
    connectionId === null ? expiresAt : sql<Date>`least(${expiresAt}, (select expires_at from connections where id = ${connectionId}))`;
  await tx
    .insertInto('orderTokens')
    .values(tokens.map((token) => ({ ...token, expiresAt: end, connectionId })))
    .execute();
}

export interface FoundToken {
  readonly orderId: OrderId;
  readonly readsOnly: boolean;
  readonly hasEnded: boolean;
}

/**
 * A token ends at its own latest end, or some days after the order ended, whichever is earlier. A hire still running while its program was
 * disconnected issues tokens afterwards: they have ended, too.
 */
const hasEnded = sql<boolean>`t.ended_at is not null
  or exists (select 1 from connections c where c.id = t.connection_id and c.revoked_at is not null) or market_now() >= least(
  t.expires_at, coalesce(o.completed_at, o.cancelled_at) + make_interval(days => ${sql.lit(orderDurations.tokenDaysAfterEnd)}))`;

/** Also finds an ended token, so that its holder gets a hint for another way in. */
export async function findOrderByToken(db: Db, hashes: readonly Buffer[]): Promise<FoundToken | undefined> {
  const { rows } = await sql<FoundToken>`
    select t.order_id as "orderId", t.reads_only as "readsOnly", ${hasEnded} as "hasEnded"
    from order_tokens t join orders o on o.id = t.order_id
    where t.token_hash in (${sql.join(hashes)})`.execute(db);
  return rows[0];
}

/** The tokens of an order that still work, by hash. */
export async function listLiveTokens(db: Db, orderId: string): Promise<Buffer[]> {
  const { rows } = await sql<{ tokenHash: Buffer }>`
    select t.token_hash as "tokenHash" from order_tokens t join orders o on o.id = t.order_id
    where t.order_id = ${orderId} and not (${hasEnded})`.execute(db);
  return rows.map(({ tokenHash }) => tokenHash);
}

/** Ends the tokens of an order, or only those of one holder, in every process. Repeating it changes nothing. */
export async function endOrderTokens(tx: Tx, orderId: string, { holder }: { readonly holder?: TokenHolder } = {}): Promise<void> {
  let ended = tx
    .updateTable('orderTokens')
    .set({ endedAt: sql<Date>`market_now()` })
    .where('orderId', '=', orderId as OrderId)
    .where('endedAt', 'is', null);
  if (holder !== undefined) ended = ended.where('holder', '=', holder);
  await ended.execute();
}

/** Ends the order tokens of all connected programs. */
export async function endTokensOfConnections(tx: Tx): Promise<void> {
  await tx
    .updateTable('orderTokens')
    .set({ endedAt: sql<Date>`market_now()` })
    .where('connectionId', 'is not', null)
    .where('endedAt', 'is', null)
    .execute();
}

/** Ends the order tokens of one connected program. */
export async function endTokensOfConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx
    .updateTable('orderTokens')
    .set({ endedAt: sql<Date>`market_now()` })
    .where('connectionId', '=', connectionId)
    .where('endedAt', 'is', null)
    .execute();
}
