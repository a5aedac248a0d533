/**
 * Renders a small, watermarked preview of an uploaded image. A child process decodes the untrusted image, so an input that crashes, hangs
 * or bloats the decoder ends only that process.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The image cannot be decoded; a retry will not help. */
export class PreviewFailedError extends Error {
  override readonly name = 'PreviewFailedError';
}

const PROCESS = join(import.meta.dirname, 'preview-process.ts');
const TIMEOUT_MS = 20_000;
/** Node reserves 600 MiB of this at its start; a picture of 50 megapixels needs at most 450 more. macOS has no such limit. */
const MOST_MEMORY_KIB = 1_280 * 1024;
const MOST_PROCESSOR_SECONDS = 10;
const WITHIN_LIMITS = `ulimit -d ${MOST_MEMORY_KIB}; ulimit -t ${MOST_PROCESSOR_SECONDS}; exec "$0" "$@"`;
const MOST_OUTPUT_BYTES = 2 * 1024 * 1024;

export async function renderPreview(image: Readable, signal: AbortSignal): Promise<Buffer> {
  // Pass no environment: it may hold secrets.
  const child = spawn('/bin/sh', ['-c', WITHIN_LIMITS, process.execPath, PROCESS], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    signal,
  });
  const ended = new Promise<string | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, endSignal) => resolve(code === 0 ? undefined : `ended with ${endSignal ?? code}`));
  });
  ended.catch(() => undefined);
  const output = collect(child.stdout).catch(() => undefined);
  let readFailure: unknown;
  image.once('error', (error) => {
    readFailure = error;
  });
  // A child that fails closes its input early: ignore that error, but not a storage error.
  await pipeline(image, child.stdin).catch(() => undefined);
  const problem = await ended;
  if (readFailure !== undefined) throw readFailure;
  const picture = await output;
  if (problem !== undefined || picture === undefined || picture.length === 0)
    throw new PreviewFailedError(`the preview process ${problem ?? 'gave no picture'}`);
  return picture;
}

async function collect(output: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_OUTPUT_BYTES) throw new PreviewFailedError('the preview is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
