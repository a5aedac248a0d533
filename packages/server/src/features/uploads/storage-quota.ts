/** The storage limits of an agent and of an account, and the refusal that says what is used and what to do. */
import { MarketError } from '@market/contract';
import { actingWallet, type Caller } from '../../access/caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { holderOf } from './file-holder.ts';
import {
  countLooseBytes,
  type FileHolder,
  insertUpload,
  lockHolders,
  type NewUpload,
  readUsage,
  type StoredFiles,
  type UploadRow,
} from './repository.ts';
import type { StorageQuota, StorageQuotas, UploadsContext } from './uploads-context.ts';

/** The bytes that one holder may store in files that are part of no record. */
export const MOST_LOOSE_BYTES = 1024 ** 3;

const WHAT_TO_DO =
  'Delete files that are part of no order (DELETE /api/upload/{upload_id}), or wait: they are removed 7 days after their upload. GET /api/upload shows what you use.';

interface Scope {
  readonly name: 'agent' | 'account';
  readonly holder: FileHolder;
}

/** Writes the row, which counts from then on. Uploads of the same holders run one after the other, in all processes. */
export async function reserveUpload({ database, quotas }: UploadsContext, caller: Caller, upload: NewUpload): Promise<UploadRow> {
  const scopes = scopesOf(caller);
  return await database.transaction(async (tx) => {
    await lockHolders(
      tx,
      scopes.map(({ holder }) => holder),
    );
    for (const { name, holder } of scopes) requireRoom(name, await readUsage(tx, holder), quotas[name], upload.sizeBytes);
    await requireRoomForLoose(tx, caller, upload.sizeBytes);
    return await insertUpload(tx, upload);
  });
}

export async function storageOf(db: Db, quotas: StorageQuotas, caller: Caller) {
  const shown = { agent: null, account: null } as Record<Scope['name'], ReturnType<typeof presentUsage> | null>;
  for (const { name, holder } of scopesOf(caller)) shown[name] = presentUsage(await readUsage(db, holder), quotas[name]);
  return { ...shown, unattached: { used_bytes: await countLooseBytes(db, holderOf(caller)), limit_bytes: MOST_LOOSE_BYTES } };
}

/** An upload by an agent's key counts for the agent and for its owner. */
function scopesOf(caller: Caller): readonly Scope[] {
  const { agent, user } = caller;
  const wallet = actingWallet(caller);
  const userId = user?.id ?? agent?.ownerUserId ?? undefined;
  const wallets = [...(user?.wallets ?? []), wallet?.address, user || wallet ? undefined : agent?.ownerWallet].filter(
    (address) => address != null,
  );
  return [
    ...(agent ? [{ name: 'agent', holder: { agentId: agent.id, wallets: [] } } as const] : []),
    ...(userId !== undefined || wallets.length > 0
      ? [{ name: 'account', holder: { ...(userId !== undefined && { userId }), wallets: [...new Set(wallets)] } } as const]
      : []),
  ];
}

function requireRoom(name: Scope['name'], used: StoredFiles, limit: StorageQuota, sizeBytes: number): void {
  if (used.bytes + sizeBytes <= limit.bytes && used.files < limit.files) return;
  const whose = name === 'agent' ? 'This agent' : 'Your account';
  throw new MarketError('upload_quota_reached', {
    message:
      `${whose} stores ${inMebibytes(used.bytes)} of ${inMebibytes(limit.bytes)} in ${used.files} of ${limit.files} files; ` +
      `this file has ${inMebibytes(sizeBytes)}. ${WHAT_TO_DO}`,
    data: { scope: name, ...presentUsage(used, limit) },
  });
}

async function requireRoomForLoose(tx: Tx, caller: Caller, sizeBytes: number): Promise<void> {
  const used = await countLooseBytes(tx, holderOf(caller));
  if (used + sizeBytes <= MOST_LOOSE_BYTES) return;
  throw new MarketError('upload_quota_reached', {
    message: `Your uploads that are part of no order fill ${inMebibytes(used)} of ${inMebibytes(MOST_LOOSE_BYTES)}. ${WHAT_TO_DO}`,
    data: { scope: 'unattached', used_bytes: used, limit_bytes: MOST_LOOSE_BYTES },
  });
}

function presentUsage({ bytes, files }: StoredFiles, limit: StorageQuota) {
  return { used_bytes: bytes, limit_bytes: limit.bytes, used_files: files, limit_files: limit.files };
}

function inMebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(2)} MiB`;
}
