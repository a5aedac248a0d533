/** The SQL of token names: which are taken, and whether those on record still agree with their mints. */
import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AgentRow } from '../agents/index.ts';

export type NamedAgent = Pick<AgentRow, 'id' | 'ownerUserId' | 'ownerWallet'>;

export async function lockTokenWords(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('token words', 0))`.execute(tx);
}

/** Whether a token of another agent, on record or being launched, has one of these words. */
export async function isWordTaken(
  db: Db,
  { agentId, mint }: { readonly agentId: AgentId; readonly mint: string },
  words: readonly string[],
): Promise<boolean> {
  const list = sql`${[...words]}::text[]`;
  const { rows } = await sql`
    select 1 from agents where token_mint <> ${mint} and token_words && ${list} and id <> ${agentId}
    union all select 1 from agent_mints where kind = 'token_launch' and state = 'open' and words && ${list} and agent_id <> ${agentId}
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether an active agent of another owner bears one of these words as its name. */
export async function isAgentNamed(db: Db, { id, ownerUserId, ownerWallet }: NamedAgent, words: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from agents where active and name_skeleton = any(${[...words]}::text[]) and id <> ${id}
      and (owner_user_id = ${ownerUserId}) is not true and (owner_proven and owner_wallet = ${ownerWallet}) is not true limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

export interface NamedToken {
  readonly mint: string;
  readonly agentId: AgentId;
  readonly name: string;
  readonly symbol: string;
  readonly namedBy: 'mint' | 'owner' | null;
}

/** Tokens made elsewhere whose metadata was never read, or not for a day. */
export async function listUnreadTokens(db: Db, limit: number): Promise<readonly NamedToken[]> {
  const { rows } = await sql<NamedToken>`
    select token_mint as mint, id as agent_id, token_name as name, token_symbol as symbol, token_named_by as named_by from agents
    where token_mint is not null and token_mode <> 'partner' and (token_read_at is null or token_read_at < market_now() - interval '1 day')
    order by token_read_at nulls first limit ${limit}`.execute(db);
  return rows;
}

export async function writeReading(
  db: Db,
  { agentId, mint }: Pick<NamedToken, 'agentId' | 'mint'>,
  named: 'mint' | 'owner',
): Promise<void> {
  await sql`update agents set token_named_by = ${named}, token_read_at = market_now() where id = ${agentId} and token_mint = ${mint}`.execute(
    db,
  );
}
