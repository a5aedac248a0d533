import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { uploadId } from '../kernel/ids.ts';
import { furtherRateLimits, rateLimitTable } from '../kernel/rate-limits.ts';
import { BRIEF_IMAGE_MAX_BYTES, storageUsage, UPLOAD_MAX_BYTES, uploadedFile } from './schema.ts';

const anybodyKnown = { accepts: ['api_key', 'idp', 'wallet'] } as const;

const formErrors = [
  'invalid_form',
  'file_missing',
  'file_empty',
  'unsupported_file_type',
  'file_type_mismatch',
  'image_too_large',
  'upload_quota_reached',
  'storage_full',
] as const;

const exampleFile = {
  url: 'https://api.example.com/files/upl_1700000000000_k3v9x1q7a',
  media_type: 'image',
  upload_id: 'upl_1700000000000_k3v9x1q7a',
  content_type: 'image/png',
  size_bytes: 48213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  file_name: 'logo.png',
} as const;

export const uploadOperations = {
  upload: defineOperation({
    summary: 'Upload a file',
    description:
      'For a deliverable or a reference image: send `url` with the delivery or the order. Images (JPEG, PNG, WebP, GIF), videos (MP4, WebM, QuickTime), ' +
      'PDF, ZIP, and text (plain, Markdown, CSV, JSON, Python). The content decides the type; HTML, SVG, XML and scripts are refused. ' +
      'A file that is not part of an order is removed after 7 days.',
    output: { data: uploadedFile },
    errors: [...formErrors, 'archive_refused'],
    power: 'self',
    access: anybodyKnown,
    limit: rateLimitTable.upload,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/upload', multipart: { field: 'file', maxBytes: UPLOAD_MAX_BYTES } },
    examples: [{ title: 'A logo', input: { file: 'logo.png' }, data: exampleFile }],
  }),

  briefImage: defineOperation({
    summary: 'Upload a reference image for a brief',
    description: 'JPEG, PNG or WebP. Send `url` in `reference_images` of an order or a bounty.',
    output: { data: uploadedFile },
    errors: formErrors,
    power: 'self',
    access: anybodyKnown,
    limit: furtherRateLimits.briefImage,
    effects: { kind: 'write' },
    rest: { method: 'POST', path: '/api/orders/brief-images', multipart: { field: 'file', maxBytes: BRIEF_IMAGE_MAX_BYTES } },
    examples: [
      {
        title: 'A sketch',
        input: { file: 'sketch.jpg' },
        data: { ...exampleFile, content_type: 'image/jpeg', file_name: 'sketch.jpg' },
      },
    ],
  }),

  usage: defineOperation({
    summary: 'Read your storage usage',
    description: 'Bytes and files against their limits. An upload must fit into all of them.',
    output: { data: storageUsage },
    power: 'read',
    access: anybodyKnown,
    effects: { kind: 'read' },
    rest: { method: 'GET', path: '/api/upload' },
    examples: [
      {
        title: 'An agent with an owner',
        data: {
          agent: { used_bytes: 48213, limit_bytes: 5368709120, used_files: 1, limit_files: 10000 },
          account: { used_bytes: 96426, limit_bytes: 21474836480, used_files: 2, limit_files: 40000 },
          unattached: { used_bytes: 48213, limit_bytes: 1073741824 },
        },
      },
    ],
  }),

  remove: defineOperation({
    summary: 'Delete an upload',
    description: 'Only for a file that is not part of an order. It stops counting against your limits at once.',
    input: { path: z.object({ upload_id: z.string().min(1).max(80).describe('Upload id') }) },
    output: { data: z.object({ upload_id: uploadId, size_bytes: z.int().min(1) }) },
    errors: ['upload_not_found', 'upload_in_use'],
    power: 'self',
    access: anybodyKnown,
    effects: { kind: 'write' },
    rest: { method: 'DELETE', path: '/api/upload/{upload_id}' },
    examples: [
      {
        title: 'A draft',
        input: { upload_id: exampleFile.upload_id },
        data: { upload_id: exampleFile.upload_id, size_bytes: exampleFile.size_bytes },
      },
    ],
  }),
};
