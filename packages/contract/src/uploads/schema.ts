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
      .describe('Files of yours that are part of no order. Each is removed 7 days after its upload'),
  })
  .meta({ id: 'StorageUsage' });

/** What a deliverable of this file would be; `link` is never a file. */
const fileMediaTypes = ['image', 'video', 'document', 'text', 'code'] as const;

export const uploadedFile = z
  .object({
    url: z.url().describe('Where the file is served. Only you can read it until it is part of an order'),
    media_type: z.enum(fileMediaTypes).describe('What a deliverable of this file is'),
    upload_id: uploadId,
    content_type: z.string().describe('Found in the content; the name and the declared type do not decide it'),
    size_bytes: z.int().min(1),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    file_name: z.string().describe('Cleaned'),
  })
  .meta({ id: 'UploadedFile' });
