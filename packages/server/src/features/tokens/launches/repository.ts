/** The SQL of mints: tokens and identities that agents' wallets make. */
import type { AgentId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { AgentMintsTable } from '../../../platform/db/schema.generated.ts';

export type MintRow = Omit<Selectable<AgentMintsTable>, 'agentId'> & { readonly agentId: AgentId };

export async function insertMint(
  tx: Tx,
  mint: Omit<MintRow, 'state' | 'createdAt' | 'words'> & Partial<Pick<MintRow, 'words'>>,
): Promise<void> {
  await tx.insertInto('agentMints').values(mint).execute();
}

export async function findMint(db: Db, movementId: string): Promise<MintRow | undefined> {
  return (await db.selectFrom('agentMints').selectAll().where('movementId', '=', movementId).executeTakeFirst()) as MintRow | undefined;
}

/** Addresses of mints of this kind so far, failed ones too. */
export async function listMints(db: Db, agentId: AgentId, kind: MintRow['kind']): Promise<readonly string[]> {
  const rows = await db.selectFrom('agentMints').select('mint').where('agentId', '=', agentId).where('kind', '=', kind).execute();
  return rows.map(({ mint }) => mint);
}

export async function findMintByAddress(db: Db, mint: string): Promise<MintRow | undefined> {
  return (await db.selectFrom('agentMints').selectAll().where('mint', '=', mint).executeTakeFirst()) as MintRow | undefined;
}

/** A mint that succeeded or is pending. */
export async function findMadeOf(db: Db, movementIds: readonly string[]): Promise<MintRow | undefined> {
  const found = db.selectFrom('agentMints').selectAll().where('movementId', 'in', movementIds).where('state', '!=', 'failed');
  return (await found.limit(1).executeTakeFirst()) as MintRow | undefined;
}

export async function endMint(tx: Tx, movementId: string, state: 'made' | 'failed'): Promise<void> {
  await tx.updateTable('agentMints').set({ state }).where('movementId', '=', movementId).execute();
}

export interface Identity {
  readonly saidWallet: string | null;
  /** True while the registration of an identity is pending. */
  readonly open: boolean;
}

/** Locks the agent until the transaction ends. */
export async function lockIdentity(tx: Tx, agentId: AgentId): Promise<Identity> {
  await tx.selectFrom('agents').select('id').where('id', '=', agentId).forUpdate().execute();
  return await readIdentity(tx, agentId);
}

export async function readIdentity(db: Db, agentId: AgentId): Promise<Identity> {
  return await db
    .selectFrom('agents')
    .select('saidWallet')
    .select(
      sql<boolean>`exists (select 1 from agent_mints k where k.agent_id = agents.id and k.kind = 'said_identity' and k.state = 'open')`.as(
        'open',
      ),
    )
    .where('id', '=', agentId)
    .executeTakeFirstOrThrow();
}

export async function writeIdentity(
  tx: Tx,
  agentId: AgentId,
  identity: { readonly saidWallet: string; readonly saidPda: string; readonly saidTxHash: string; readonly updatedAt: Date },
): Promise<void> {
  await tx.updateTable('agents').set(identity).where('id', '=', agentId).execute();
}
