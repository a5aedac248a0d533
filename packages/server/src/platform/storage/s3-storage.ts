/** Files in a bucket of any S3-compatible store. The signature covers the payload's hash, so the store refuses a damaged upload. */
import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AwsClient } from 'aws4fetch';
import { FileMissingError, type FileStorage } from './storage.ts';

export interface S3Options {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const ANSWER_WITHIN_MS = 60_000;

export function createS3Storage({ endpoint, bucket, region, accessKey, secretKey }: S3Options): FileStorage {
  // Retries are for 5xx and 429 answers; the body is a file, so it can be sent again.
  const client = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secretKey, service: 's3', region, retries: 3 });
  const ask = async (key: string, request: RequestInit): Promise<Response> => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), ANSWER_WITHIN_MS);
    try {
      // Limits only the time until the answer begins: slow readers of a long video must not be cut off.
      return await client.fetch(`${endpoint}/${bucket}/${key}`, { ...request, signal: patience.signal });
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async put(key, file) {
      const answer = await ask(key, {
        method: 'PUT',
        body: await openAsBlob(file.path),
        // If a link into the bucket leaks, browsers download the file instead of showing a page.
        headers: { 'x-amz-content-sha256': file.sha256, 'content-type': 'application/octet-stream' },
      });
      await requireSuccess(answer, key);
    },
    async open(key, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      const answer = await ask(key, { headers });
      if (answer.status === 404) {
        await answer.body?.cancel();
        throw new FileMissingError(key);
      }
      if (answer.status !== (range === undefined ? 200 : 206) || answer.body === null) await refuse(answer, key);
      return Readable.fromWeb(answer.body as ReadableStream);
    },
    async remove(key) {
      const answer = await ask(key, { method: 'DELETE' });
      if (answer.status !== 404) await requireSuccess(answer, key);
    },
  };
}

async function requireSuccess(answer: Response, key: string): Promise<void> {
  if (!answer.ok) await refuse(answer, key);
  await answer.body?.cancel();
}

async function refuse(answer: Response, key: string): Promise<never> {
  const words = (await answer.text()).slice(0, 300);
  throw new Error(`the store answered ${answer.status} for ${key}: ${words}`);
}
