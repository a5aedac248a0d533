/** The accepted file types and the rules for each. Nothing outside this table is ever stored. */
export type MediaType = 'image' | 'video' | 'document' | 'text' | 'code';

export interface FileType {
  readonly contentType: string;
  readonly mediaType: MediaType;
  /** The extensions of a downloaded file; the first is added to a name that ends otherwise. */
  readonly extensions: readonly [string, ...string[]];
  /** Other spellings that browsers and programs declare. */
  readonly aliases?: readonly string[];
}

export const binaryTypes = {
  jpeg: { contentType: 'image/jpeg', mediaType: 'image', extensions: ['jpg', 'jpeg'], aliases: ['image/jpg', 'image/pjpeg'] },
  png: { contentType: 'image/png', mediaType: 'image', extensions: ['png'], aliases: ['image/x-png'] },
  webp: { contentType: 'image/webp', mediaType: 'image', extensions: ['webp'] },
  gif: { contentType: 'image/gif', mediaType: 'image', extensions: ['gif'] },
  mp4: { contentType: 'video/mp4', mediaType: 'video', extensions: ['mp4', 'm4v'], aliases: ['video/x-m4v'] },
  webm: { contentType: 'video/webm', mediaType: 'video', extensions: ['webm'] },
  quicktime: { contentType: 'video/quicktime', mediaType: 'video', extensions: ['mov', 'qt'] },
  pdf: { contentType: 'application/pdf', mediaType: 'document', extensions: ['pdf'], aliases: ['application/x-pdf'] },
  zip: {
    contentType: 'application/zip',
    mediaType: 'document',
    extensions: ['zip'],
    aliases: ['application/x-zip', 'application/x-zip-compressed'],
  },
} as const satisfies Record<string, FileType>;

const plain: FileType = { contentType: 'text/plain', mediaType: 'text', extensions: ['txt', 'text', 'log'] };

/** Text has no signature: the given name or the declared type chooses among these. */
const textTypes: readonly FileType[] = [
  plain,
  { contentType: 'text/markdown', mediaType: 'text', extensions: ['md', 'markdown'], aliases: ['text/x-markdown'] },
  { contentType: 'text/csv', mediaType: 'text', extensions: ['csv'], aliases: ['application/csv', 'application/vnd.ms-excel'] },
  { contentType: 'application/json', mediaType: 'code', extensions: ['json'], aliases: ['text/json'] },
  {
    contentType: 'text/x-python',
    mediaType: 'code',
    extensions: ['py'],
    aliases: ['text/x-script.python', 'application/x-python', 'application/x-python-code'],
  },
];

const allTypes: readonly FileType[] = [...Object.values(binaryTypes), ...textTypes];

export function isText(type: FileType): boolean {
  return textTypes.includes(type);
}

export function isDeclaredAs(type: FileType, declared: string): boolean {
  return type.contentType === declared || type.aliases?.includes(declared) === true;
}

export function textTypeFor(extension: string, declared: string): FileType {
  return (
    textTypes.find(({ extensions }) => extensions.includes(extension)) ?? textTypes.find((type) => isDeclaredAs(type, declared)) ?? plain
  );
}

export function typeOfContent(contentType: string): FileType {
  return allTypes.find((type) => type.contentType === contentType) ?? plain;
}
