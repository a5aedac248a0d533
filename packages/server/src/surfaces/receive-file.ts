/** Receives a file that came with a call, over any transport. */
import { MarketError, type NamedOperation } from '@market/contract';
import type { ReceivedFile } from '../access/call.ts';
import { type Spool, type SpooledFile, SpoolLimitError } from '../platform/storage/spool.ts';
import type { Arguments } from './argument-parts.ts';

/** Receives a file that the transport has as a whole: a `File` or `Blob` under the field that the definition names. */
export async function receiveFileArgument(
  { spec }: NamedOperation,
  args: Arguments,
  spool: Pick<Spool, 'write' | 'discard'>,
): Promise<ReceivedFile | undefined> {
  const { multipart } = spec.rest;
  const content = multipart && args[multipart.field];
  if (multipart === undefined || content === undefined) return undefined;
  const { field, maxBytes } = multipart;
  if (!(content instanceof Blob)) throw new MarketError('invalid_input', { message: `${field} must be a file.` });
  if (content.size === 0) throw new MarketError('file_empty');
  const spooled = await spoolWithin(maxBytes, chunksOf(content), spool);
  const fileName = content instanceof File ? content.name : '';
  return { ...spooled, fileName, declaredType: content.type, discard: () => spool.discard(spooled) };
}

async function* chunksOf(content: Blob): AsyncGenerator<Buffer> {
  for await (const chunk of content.stream()) yield Buffer.from(chunk);
}

export async function spoolWithin(maxBytes: number, content: AsyncIterable<Buffer>, spool: Pick<Spool, 'write'>): Promise<SpooledFile> {
  try {
    return await spool.write(content, maxBytes);
  } catch (error) {
    if (error instanceof SpoolLimitError) throw fileTooLarge(maxBytes);
    throw error;
  }
}

export function fileTooLarge(maxBytes: number): MarketError {
  return new MarketError('body_too_large', { message: `The file is larger than ${maxBytes / 1024 / 1024} MiB.` });
}
