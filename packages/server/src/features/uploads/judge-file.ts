/** Detects the type of a received file from its content. Refuses unsupported types, wrong declarations and unsafe files. */
import { MarketError } from '@market/contract';
import type { ReceivedFile } from '../../access/call.ts';
import { type FileBytes, lookInto } from './file-bytes.ts';
import { extensionOf } from './file-name.ts';
import { binaryTypes, type FileType, isDeclaredAs, isText, textTypeFor } from './file-types.ts';
import { type ImageSize, readImageSize } from './image-size.ts';
import { HEAD_BYTES, sniff } from './sniff.ts';
import { isActiveText, isUtf8Text, OPENING_BYTES } from './text-content.ts';
import { objectionToArchive } from './zip-directory.ts';

export interface JudgedFile {
  readonly type: FileType;
  /** Set for images. */
  readonly size: ImageSize | undefined;
}

const MOST_PIXELS = 50_000_000;
const LONGEST_SIDE = 16_384;

export async function judgeFile(file: ReceivedFile): Promise<JudgedFile> {
  return await lookInto(file.path, file.sizeBytes, async (bytes) => {
    const declared = declaredType(file);
    const type = sniff(await bytes.read(0, HEAD_BYTES)) ?? (await judgeText(file, bytes, declared));
    if (declared !== '' && !agrees(type, declared))
      throw new MarketError('file_type_mismatch', { message: `The content is ${type.contentType}, but ${shown(declared)} was declared.` });
    if (type === binaryTypes.zip) await refuseBadArchive(bytes);
    return { type, size: type.mediaType === 'image' ? await judgeImage(type, bytes) : undefined };
  });
}

/** Declared types that mean "unknown". */
const SAYS_NOTHING = ['', 'application/octet-stream', 'binary/octet-stream', 'application/x-unknown', '*/*'];

function declaredType({ declaredType: given }: ReceivedFile): string {
  const essence = (given.split(';')[0] ?? '').trim().toLowerCase();
  return SAYS_NOTHING.includes(essence) ? '' : essence;
}

/** Between flavours of text the name decides, so a program that calls all of them plain text is not wrong. */
function agrees(type: FileType, declared: string): boolean {
  return isDeclaredAs(type, declared) || (isText(type) && isDeclaredAs(textTypeFor('', declared), declared));
}

async function judgeText(file: ReceivedFile, bytes: FileBytes, declared: string): Promise<FileType> {
  if (!(await isUtf8Text(bytes))) throw new MarketError('unsupported_file_type');
  const extension = extensionOf(file.fileName);
  const opening = await bytes.read(0, OPENING_BYTES);
  if (isActiveText(opening.toString('utf8'), extension) || ACTIVE_DECLARATION.test(declared))
    throw new MarketError('unsupported_file_type', { message: 'HTML, SVG, XML and scripts are not taken. Put them into a ZIP archive.' });
  return textTypeFor(extension, declared);
}

const ACTIVE_DECLARATION = /html|xml|svg|javascript|ecmascript/;

async function judgeImage(type: FileType, bytes: FileBytes): Promise<ImageSize> {
  const size = await readImageSize(type, bytes);
  if (size === undefined)
    throw new MarketError('unsupported_file_type', { message: `This begins like ${type.contentType} but is no readable image.` });
  if (size.width > LONGEST_SIDE || size.height > LONGEST_SIDE || size.width * size.height > MOST_PIXELS)
    throw new MarketError('image_too_large');
  return size;
}

async function refuseBadArchive(bytes: FileBytes): Promise<void> {
  const objection = await objectionToArchive(bytes);
  if (objection !== undefined) throw new MarketError('archive_refused', { message: `This archive is not taken: ${objection}.` });
}

function shown(declared: string): string {
  return declared.replace(/[^\w+./-]/g, '').slice(0, 60);
}
