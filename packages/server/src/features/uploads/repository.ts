/** The SQL of uploaded files. */
import type { AgentId, UploadId } from '@market/contract';
import { type ExpressionBuilder, type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Schema, UploadsTable } from '../../platform/db/schema.generated.ts';

export type UploadRow = Selectable<UploadsTable>;
export type NewUpload = Insertable<UploadsTable>;

/** The proven identities of a caller, which own its files. */
export interface FileHolder {
  readonly agentId?: AgentId;
  readonly userId?: string;
  readonly wallets: readonly string[];
}

/** Insert the row before the object, so that every object has a row. */
export async function insertUpload(db: Db, upload: NewUpload): Promise<UploadRow> {
  return await db.insertInto('uploads').values(upload).returningAll().executeTakeFirstOrThrow();
}

/** False when it was deleted meanwhile. */
export async function markReady(tx: Tx, id: UploadId): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('uploads')
    .set({ state: 'ready' })
    .where('id', '=', id)
    .where('state', '=', 'storing')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findUpload(db: Db, id: string): Promise<UploadRow | undefined> {
  return await db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id as UploadId)
    .where('state', '=', 'ready')
    .executeTakeFirst();
}

/** A picture of this holder with the same content. */
export async function findSameBytes(db: Db, sha256: string, holder: FileHolder): Promise<UploadRow | undefined> {
  return await db
    .selectFrom('uploads')
    .selectAll()
    .where('sha256', '=', sha256)
    .where('state', '=', 'ready')
    .where('mediaType', '=', 'image')
    .where((row) => heldBy(row, holder))
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
}

export async function listSubjects(db: Db, id: UploadId): Promise<string[]> {
  const rows = await db.selectFrom('uploadAttachments').select('subjectId').distinct().where('uploadId', '=', id).execute();
  return rows.map(({ subjectId }) => subjectId);
}

export interface StoredFiles {
  readonly bytes: number;
  readonly files: number;
}

/** Storage used by this holder, partial files included, deleted files excluded. */
export async function readUsage(db: Db, holder: FileHolder): Promise<StoredFiles> {
  const { bytes, files } = await db
    .selectFrom('uploads')
    .select([sql<bigint>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'), sql<bigint>`count(*)`.as('files')])
    .where('state', '!=', 'removing')
    .where((row) => heldBy(row, holder))
    .executeTakeFirstOrThrow();
  return { bytes: Number(bytes), files: Number(files) };
}

/** Locks the quotas of these holders until the transaction ends, in a fixed order to prevent deadlocks. */
export async function lockHolders(tx: Tx, holders: readonly FileHolder[]): Promise<void> {
  const names = holders.flatMap(({ agentId, userId, wallets }) => [
    ...(agentId === undefined ? [] : [`agent:${agentId}`]),
    ...(userId === undefined ? [] : [`user:${userId}`]),
    ...wallets.map((wallet) => `wallet:${wallet}`),
  ]);
  for (const name of [...new Set(names)].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads/${name}`}, 0))`.execute(tx);
}

/** Bytes of this holder that are not attached yet. */
export async function countLooseBytes(db: Db, holder: FileHolder): Promise<number> {
  const { bytes } = await db
    .selectFrom('uploads')
    .select(sql<bigint>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'))
    .where('attached', '=', false)
    .where('state', '!=', 'removing')
    .where((row) => heldBy(row, holder))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** The files among `ids` that this holder may use, locked in one order so that two attachments never deadlock. */
export async function lockHeldUploads(tx: Tx, ids: readonly string[], holder: FileHolder): Promise<UploadRow[]> {
  if (ids.length === 0) return [];
  return await tx
    .selectFrom('uploads')
    .selectAll()
    .where('id', 'in', ids as UploadId[])
    .where('state', '=', 'ready')
    .where((row) => heldBy(row, holder))
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Locked, so that it is not swept meanwhile. */
export async function lockUpload(tx: Tx, id: string): Promise<UploadRow | undefined> {
  return await tx
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id as UploadId)
    .where('state', '=', 'ready')
    .forUpdate()
    .executeTakeFirst();
}

export async function attach(tx: Tx, ids: readonly UploadId[], subjectId: string): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('uploads').set({ attached: true }).where('id', 'in', ids).execute();
  await tx
    .insertInto('uploadAttachments')
    .values(ids.map((uploadId) => ({ uploadId, subjectId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setPreview(db: Db, id: UploadId, preview: { key: string; sizeBytes: number }): Promise<void> {
  await db.updateTable('uploads').set({ previewKey: preview.key, previewSizeBytes: preview.sizeBytes }).where('id', '=', id).execute();
}

export type DescribedUpload = Pick<UploadRow, 'id' | 'mediaType'> & { readonly hasPreview: boolean };

export async function listDescribed(db: Db, ids: readonly string[]): Promise<DescribedUpload[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('uploads')
    .select(['id', 'mediaType'])
    .select((row) => row('previewKey', 'is not', null).$castTo<boolean>().as('hasPreview'))
    .where('id', 'in', ids as UploadId[])
    .execute();
}

/** Marks files not attached within 7 days, and partial files. Marked files can no longer be attached or read. */
export async function markForRemoval(db: Db, limit: number): Promise<UploadRow[]> {
  await sql`
    update uploads set state = 'removing'
    where id in (
      select id from uploads
      where not attached and (
        (state = 'ready' and created_at < market_now() - interval '7 days')
        or (state = 'storing' and created_at < market_now() - interval '1 hour'))
      order by created_at limit ${limit} for update skip locked)
    and not attached`.execute(db);
  return await db.selectFrom('uploads').selectAll().where('state', '=', 'removing').orderBy('createdAt').limit(limit).execute();
}

export async function markRemoving(tx: Tx, id: UploadId): Promise<void> {
  await tx.updateTable('uploads').set({ state: 'removing' }).where('id', '=', id).where('attached', '=', false).execute();
}

export async function deleteUpload(db: Db, id: UploadId): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).where('state', '=', 'removing').execute();
}

function heldBy(row: ExpressionBuilder<Schema, 'uploads'>, { agentId, userId, wallets }: FileHolder) {
  return row.or([
    ...(agentId === undefined ? [] : [row('agentId', '=', agentId)]),
    ...(userId === undefined ? [] : [row('userId', '=', userId)]),
    ...(wallets.length === 0 ? [] : [row('wallet', 'in', [...wallets])]),
  ]);
}
