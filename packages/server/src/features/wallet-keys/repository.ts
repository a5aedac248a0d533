import type { AgentId } from '@market/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { WalletKind } from '../../platform/wallets/new-wallet-key.ts';

export async function insertAgentWallet(
  tx: Tx,
  wallet: { agentId: AgentId; kind: WalletKind; address: string; sealedKey: string },
): Promise<void> {
  await tx.insertInto('agentWallets').values(wallet).execute();
}

/** Does nothing when another process made one first. */
export async function insertMissingWallet(
  tx: Tx,
  wallet: { agentId: AgentId; kind: WalletKind; address: string; sealedKey: string },
): Promise<void> {
  await tx
    .insertInto('agentWallets')
    .values(wallet)
    .onConflict((conflict) => conflict.columns(['agentId', 'kind']).doNothing())
    .execute();
}

/** Agents that lack a wallet of some kind, as those registered before there were any. */
export async function listAgentsWithoutWallets(db: Db, limit: number): Promise<AgentId[]> {
  const { rows } = await sql<{ id: AgentId }>`
    select a.id from agents a where (select count(*) from agent_wallets w where w.agent_id = a.id) < 2 order by a.id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export interface WalletRow {
  readonly agentId: string;
  readonly kind: WalletKind;
  readonly address: string;
  readonly sealedKey: string;
}

export async function listAgentWallets(db: Db, agentId: AgentId): Promise<readonly WalletRow[]> {
  return await db.selectFrom('agentWallets').select(['agentId', 'kind', 'address', 'sealedKey']).where('agentId', '=', agentId).execute();
}

/** The agent's own addresses; an empty text for a kind it has none of. */
export async function readAgentWallets(db: Db, agentId: AgentId): Promise<Record<WalletKind, string>> {
  return (await readWalletsOf(db, [agentId]))(agentId);
}

/** As `readAgentWallets`, for many at once. */
export async function readWalletsOf(db: Db, ids: readonly AgentId[]): Promise<(id: AgentId) => Record<WalletKind, string>> {
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('agentWallets')
          .select(['agentId', 'kind', 'address'])
          .where('agentId', 'in', [...ids])
          .execute();
  const addressOf = (id: AgentId, kind: WalletKind): string => rows.find((row) => row.agentId === id && row.kind === kind)?.address ?? '';
  return (id) => ({ solana: addressOf(id, 'solana'), evm: addressOf(id, 'evm') });
}

const WALLETS_PER_PAGE = 500;

/** Every wallet of every agent, page by page. */
export async function* listAllWallets(db: Db): AsyncGenerator<Pick<WalletRow, 'agentId' | 'kind' | 'address'>> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('agentWallets')
      .select(['agentId', 'kind', 'address'])
      .where('address', '>', after)
      .orderBy('address')
      .limit(WALLETS_PER_PAGE)
      .execute();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < WALLETS_PER_PAGE) return;
    after = last.address;
  }
}
