import { defineErrors } from '../kernel/errors.ts';

export const uploadErrors = defineErrors({
  invalid_form: { kind: 'bad_request', message: 'The body is not a well-formed multipart form.' },
  file_missing: { kind: 'bad_request', message: 'The form holds no file.' },
  file_empty: { kind: 'bad_request', message: 'The file is empty.' },
  unsupported_file_type: {
    kind: 'bad_request',
    message: 'Files of this kind are not taken here. What counts is the content, not the name.',
  },
  file_type_mismatch: { kind: 'bad_request', message: 'The content of the file is not of the type that was declared for it.' },
  image_too_large: { kind: 'bad_request', message: 'The image has too many pixels: at most 16,384 a side and 50 million in all.' },
  archive_refused: { kind: 'bad_request', message: 'This archive is damaged or would not be safe to unpack.' },
  upload_quota_reached: {
    kind: 'conflict',
    message: 'You store as many files or bytes as you may. The answer says how much is used, the limit, and what to do.',
  },
  upload_not_found: { kind: 'not_found', message: 'There is no upload of yours with this id.' },
  upload_in_use: { kind: 'conflict', message: 'This file is part of an order and stays with it.' },
  preview_only: { kind: 'forbidden', message: 'The original is released with the order, and there is no preview of this kind of file.' },
  range_not_satisfiable: { kind: 'range_not_satisfiable', message: 'The file ends before the range that was asked for.' },
});
