/** The SQL that begins a closing and ends policies and waiting closings. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { MoveRow } from '../moves/index.ts';
import { type ClosingSubject, principalsOf } from './subject.ts';

/**
 * Until this transaction ends, append-only histories allow the removal of a person, and no other change. The transaction id is stored:
 * otherwise the events that it changes look like those of a restored database (`wasPutBack`).
 */
export async function beginForgetting(tx: Tx): Promise<void> {
  await sql`select set_config('market.closing', 'on', true)`.execute(tx);
  await sql`insert into closing_transactions (writer) values (pg_current_xact_id()::xid::text) on conflict do nothing`.execute(tx);
}

export async function endPolicies(tx: Tx, subject: ClosingSubject): Promise<void> {
  await sql`delete from spend_policies where subject_kind = 'account' and subject_id = any(${principalsOf(subject)})`.execute(tx);
}

/** Waiting closings of this account or these agents. */
export async function listWaitingClosings(tx: Tx, owner: string | null, agents: readonly string[], except?: string): Promise<MoveRow[]> {
  const rows = await tx
    .selectFrom('delayedMoves')
    .selectAll()
    .where('state', 'in', ['waiting', 'ready'])
    .where('kind', 'in', ['account_closing', 'agent_closing'])
    .where((row) =>
      row.or([
        row('owner', '=', owner ?? '').and('kind', '=', 'account_closing'),
        row('agentId', '=', sql<MoveRow['agentId']>`any(${[...agents]})`),
      ]),
    )
    .where('id', '!=', except ?? '')
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows as MoveRow[];
}
