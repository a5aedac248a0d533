/** Access to a file: who may read it, and at which level. */
import type { Readable } from 'node:stream';
import { MarketError, type UploadId } from '@market/contract';
import { type Caller, isSomebody } from '../../access/caller.ts';
import { type ByteRange, FileMissingError } from '../../platform/storage/storage.ts';
import { holderOf, isHolder } from './file-holder.ts';
import type { FileLevel } from './file-links.ts';
import { downloadName } from './file-name.ts';
import { isText, typeOfContent } from './file-types.ts';
import { findUpload, listSubjects, type UploadRow } from './repository.ts';
import type { UploadsContext } from './uploads-context.ts';

/** An attached file, for the guard of its record. */
export interface GuardedFile {
  readonly id: UploadId;
  readonly mediaType: UploadRow['mediaType'];
  readonly subjectIds: readonly string[];
}

/** `public`: anybody may see it and other sites may show it. */
type Verdict = FileLevel | 'public' | 'no';

/** Decides for the records it knows; undefined for others. The first guard that answers decides. */
export type FileGuard = (caller: Caller, file: GuardedFile) => Promise<Verdict | undefined>;

export interface ReadableFile {
  readonly contentType: string;
  readonly downloadName: string;
  readonly sizeBytes: number;
  /** Shown in the browser; everything else is offered as a download. */
  readonly inline: boolean;
  readonly isPublic: boolean;
  open(range?: ByteRange): Promise<Readable>;
}

export interface FileRequest {
  readonly id: string;
  readonly grant: string | undefined;
  readonly caller: Caller;
}

/** Undefined stands for the placeholder: there is a preview to come, or none could be made. */
export type OpenFile = (request: FileRequest) => Promise<ReadableFile | undefined>;

type FileSource = Omit<UploadsContext, 'quotas'>;

export function createFileOpener(context: FileSource, guards: readonly FileGuard[]): OpenFile {
  return async ({ id, grant, caller }) => {
    const granted = grant === undefined ? undefined : context.links.readGrant(id, grant);
    const row = await findUpload(context.database.db, id);
    const level = row === undefined ? 'no' : (granted ?? (await levelFor(context, guards, caller, row)));
    if (row === undefined || level === 'no') throw refusalFor(caller, grant);
    return level === 'preview' ? preview(context, row) : original(context, row, level === 'public');
  };
}

/** Unknown and forbidden files get the same answer, so that it does not reveal whether a file exists. */
function refusalFor(caller: Caller, grant: string | undefined): MarketError {
  if (isSomebody(caller)) return new MarketError('not_found', { message: 'There is no such file, or it is not for you to see.' });
  const words =
    grant === undefined ? 'Files are private. Send your credentials.' : 'This link has expired. Open the file from its order again.';
  return new MarketError('unauthenticated', { message: words });
}

async function levelFor({ database }: FileSource, guards: readonly FileGuard[], caller: Caller, row: UploadRow): Promise<Verdict> {
  if (row.visibility === 'public') return 'public';
  if (caller.user?.admin === true || isHolder(holderOf(caller), row)) return 'full';
  if (!row.attached) return 'no';
  const file = { id: row.id, mediaType: row.mediaType, subjectIds: await listSubjects(database.db, row.id) };
  for (const guard of guards) {
    const verdict = await guard(caller, file);
    if (verdict !== undefined) return verdict;
  }
  return 'no';
}

function original({ storage }: FileSource, row: UploadRow, isPublic: boolean): ReadableFile {
  const text = isText(typeOfContent(row.contentType));
  return {
    // Serve every kind of text as plain text.
    contentType: text ? 'text/plain; charset=utf-8' : row.contentType,
    downloadName: downloadName(row.fileName, row.contentType),
    sizeBytes: row.sizeBytes,
    inline: row.mediaType === 'image' || row.mediaType === 'video',
    isPublic,
    open: (range) => orNotFound(storage.open(row.storageKey, range)),
  };
}

function preview({ storage }: FileSource, row: UploadRow): ReadableFile | undefined {
  if (row.mediaType !== 'image') throw new MarketError('preview_only');
  const { previewKey, previewSizeBytes } = row;
  if (previewKey === null || previewSizeBytes === null) return undefined;
  return {
    contentType: 'image/webp',
    downloadName: 'preview.webp',
    sizeBytes: previewSizeBytes,
    inline: true,
    isPublic: false,
    open: (range) => orNotFound(storage.open(previewKey, range)),
  };
}

async function orNotFound(opening: Promise<Readable>): Promise<Readable> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof FileMissingError) throw new MarketError('not_found', { message: 'This file is gone.', cause: error });
    throw new MarketError('unavailable', { cause: error, retryAfterSeconds: 5 });
  }
}
