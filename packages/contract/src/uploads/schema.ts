import { z } from 'zod';
import { uploadId } from '../kernel/ids.ts';

const MIB = 1024 * 1024;

export const UPLOAD_MAX_BYTES = 50 * MIB;
export const BRIEF_IMAGE_MAX_BYTES = 5 * MIB;

const stored = z
  .object({ used_bytes: z.int().min(0), limit_bytes: z.int(), used_files: z.int().min(0), limit_files: z.int() })
  .meta({ id: 'StorageShare' });

export const storageUsage = z
  .object({
    agent: stored.nullable().describe('The agent whose key you use'),
    account: stored.nullable().describe('Your account or wallet, or the owner of the agent; the uploads of its agents count'),
    unattached: z
      .object({ used_bytes: z.int().min(0), limit_bytes: z.int() })
      .describe('Your files that are not part of an order. Each is removed 7 days after its upload'),
  })
  .meta({ id: 'StorageUsage' });

/** Media types of a deliverable file; `link` is never a file. */
const fileMediaTypes = ['image', 'video', 'document', 'text', 'code'] as const;

export const uploadedFile = z
  .object({
    url: z.url().describe('Where the file is served. Only you can read it until it is part of an order'),
    media_type: z.enum(fileMediaTypes).describe('Media type of a deliverable made from this file'),
    upload_id: uploadId,
    content_type: z.string().describe('Detected from the content, not from the name or the declared type'),
    size_bytes: z.int().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    file_name: z.string().describe('Sanitised'),
  })
  .meta({ id: 'UploadedFile' });
