import type { Operations } from '@market/contract';
import type { z } from 'zod';
import type { FileLinks } from './file-links.ts';
import type { UploadRow } from './repository.ts';

type UploadedFile = z.output<Operations['uploads']['upload']['output']['data']>;

export function presentUpload(row: UploadRow, links: FileLinks): UploadedFile {
  return {
    url: links.urlOf(row.id),
    media_type: row.mediaType,
    upload_id: row.id,
    content_type: row.contentType,
    size_bytes: row.sizeBytes,
    sha256: row.sha256,
    file_name: row.fileName,
  };
}
