/** The SQL of registrations in a registry on chain. */
import type { AgentId } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { AgentRegistrationsTable } from '../../../platform/db/schema.generated.ts';

export type RegistrationRow = Omit<Selectable<AgentRegistrationsTable>, 'agentId'> & { readonly agentId: AgentId };

/** A registration with the current state of its movement. */
export interface RegistrationState extends RegistrationRow {
  readonly wallet: string;
  readonly reason: string | null;
  /** Reference of the confirmed transaction, otherwise of the latest signed attempt. */
  readonly reference: string | null;
}

export async function insertRegistration(
  tx: Tx,
  registration: Pick<RegistrationRow, 'movementId' | 'agentId' | 'registry' | 'uri'>,
): Promise<void> {
  await tx
    .insertInto('agentRegistrations')
    .values({ ...registration, onchainId: null, endedAt: null })
    .execute();
}

export async function findRegistration(db: Db, movementId: string): Promise<RegistrationRow | undefined> {
  return (await db.selectFrom('agentRegistrations').selectAll().where('movementId', '=', movementId).executeTakeFirst()) as
    | RegistrationRow
    | undefined;
}

/** The open or made registration of an agent, otherwise the newest failed one. */
export async function readRegistration(db: Db, agentId: AgentId): Promise<RegistrationState | undefined> {
  return (await db
    .selectFrom('agentRegistrations as r')
    .innerJoin('walletMovements as m', 'm.id', 'r.movementId')
    .selectAll('r')
    .select(['m.wallet', 'm.reason'])
    .select(
      sql<string | null>`coalesce(m.reference, (select a.reference from outgoing_attempts a
        where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1))`.as('reference'),
    )
    .where('r.agentId', '=', agentId)
    .orderBy(sql`r.state = 'failed'`)
    .orderBy('r.createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()) as RegistrationState | undefined;
}

/** Locks the agent until the transaction ends, so that concurrent requests are serialised. */
export async function lockRegistration(tx: Tx, agentId: AgentId): Promise<RegistrationState | undefined> {
  await tx.selectFrom('agents').select('id').where('id', '=', agentId).forUpdate().execute();
  return await readRegistration(tx, agentId);
}

export async function endRegistration(
  tx: Tx,
  movementId: string,
  end: Pick<RegistrationRow, 'state' | 'onchainId'> & { readonly endedAt: Date },
): Promise<void> {
  await tx.updateTable('agentRegistrations').set(end).where('movementId', '=', movementId).execute();
}

/** Writes the on-chain id to the agent's row, from which its registration file is made. */
export async function writeAgentIdentity(
  tx: Tx,
  agentId: AgentId,
  identity: { readonly erc8004Registry: string; readonly erc8004AgentId: string; readonly updatedAt: Date },
): Promise<void> {
  await tx.updateTable('agents').set(identity).where('id', '=', agentId).execute();
}
