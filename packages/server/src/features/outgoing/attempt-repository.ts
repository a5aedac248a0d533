/** The SQL of attempts: the signed bytes of intents. An intent has at most one open attempt and at most one confirmed one. */
import { type Selectable, sql } from 'kysely';
import type { SignedTransfer } from '../../platform/chains/chain.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { OutgoingAttemptsTable } from '../../platform/db/schema.generated.ts';
import { signedStates } from './states.ts';

export type Attempt = Selectable<OutgoingAttemptsTable>;
type AttemptName = Pick<Attempt, 'intentId' | 'number'>;

export async function findLatestAttempt(db: Db, intentId: string): Promise<Attempt | undefined> {
  return await db
    .selectFrom('outgoingAttempts')
    .selectAll()
    .where('intentId', '=', intentId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertAttempt(tx: Tx, { intentId, number }: AttemptName, signed: SignedTransfer): Promise<void> {
  const { reference, bytes: signedBytes, validity, rentLamports = 0n } = signed;
  await tx.insertInto('outgoingAttempts').values({ intentId, number, reference, signedBytes, validity, rentLamports }).execute();
}

export async function insertNextAttempt(tx: Tx, intentId: string, signed: SignedTransfer): Promise<AttemptName> {
  const attempt = { intentId, number: ((await findLatestAttempt(tx, intentId))?.number ?? 0) + 1 };
  await insertAttempt(tx, attempt, signed);
  return attempt;
}

const NO_BYTES = { bytes: Buffer.from('found on chain').toString('base64'), validity: '0' };

/** Records a transaction that the chain shows and these books never signed. */
export async function insertFoundAttempt(tx: Tx, intentId: string, reference: string): Promise<void> {
  await moveAttempt(tx, await insertNextAttempt(tx, intentId, { reference, ...NO_BYTES }), 'confirmed');
}

/** Only an open attempt moves; false when another worker finished it, for example after our lease expired. */
export async function moveAttempt(tx: Tx, { intentId, number }: AttemptName, state: Attempt['state']): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('outgoingAttempts')
    .set({ state })
    .where('intentId', '=', intentId)
    .where('number', '=', number)
    .where('state', 'in', [...signedStates])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Confirms also an attempt that another process called expired: the chain decides. The caller looks for later bytes. */
export async function confirmAttempt(tx: Tx, { intentId, number }: AttemptName): Promise<boolean> {
  const { rows } = await sql`
    update outgoing_attempts a set state = 'confirmed'
    where a.intent_id = ${intentId} and a.number = ${number} and a.state in ('signed', 'sent', 'unknown', 'expired')
      and not exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.number <> a.number and o.state = 'confirmed')
    returning a.number`.execute(tx);
  return rows.length === 1;
}

/**
 * Keeps the proof that bytes landed which count as dead, while later bytes are open: the attempt is confirmed before its intent. Locks the
 * intent, as storing and expiring do, so that the later bytes cannot end unseen. False when none are open.
 */
export async function keepProof(tx: Tx, { intentId, number }: AttemptName): Promise<boolean> {
  await tx.selectFrom('outgoingIntents').select('id').where('id', '=', intentId).forUpdate().execute();
  const { rows } = await sql`
    update outgoing_attempts a set state = 'confirmed'
    where a.intent_id = ${intentId} and a.number = ${number} and a.state = 'expired'
      and exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.state in ('signed', 'sent', 'unknown'))
      and not exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.state = 'confirmed')
    returning a.number`.execute(tx);
  return rows.length === 1;
}

/** The earlier attempt whose proof was kept. */
export async function findProof(db: Db, { intentId, number }: AttemptName): Promise<Attempt | undefined> {
  return await db
    .selectFrom('outgoingAttempts')
    .selectAll()
    .where('intentId', '=', intentId)
    .where('number', '<', number)
    .where('state', '=', 'confirmed')
    .executeTakeFirst();
}

/** Whether an attempt of this intent may still land. */
export async function hasOpenAttempt(db: Db, intentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outgoingAttempts')
    .select('number')
    .where('intentId', '=', intentId)
    .where('state', 'in', [...signedStates])
    .executeTakeFirst();
  return row !== undefined;
}

/** Reopens the last attempt, because its bytes counted as dead and landed after all. */
export async function reopenLastAttempt(tx: Tx, intentId: string): Promise<void> {
  const last = tx.selectFrom('outgoingAttempts').select(sql<number>`max(number)`.as('number')).where('intentId', '=', intentId);
  await tx.updateTable('outgoingAttempts').set({ state: 'unknown' }).where('intentId', '=', intentId).where('number', '=', last).execute();
}
