/** File names as people give them, made harmless. They are only shown and offered for download, never used as a path. */
import { typeOfContent } from './file-types.ts';

const LONGEST_NAME = 200;
/** Names that Windows takes for devices, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Removes folders, control and invisible characters, and what file systems reserve. */
export function cleanFileName(given: string): string {
  const base = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const readable = base
    .normalize('NFC')
    .replace(/[\p{C}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const named = readable === '' ? 'file' : DEVICE.test(readable) ? `_${readable}` : readable;
  return shorten(named);
}

/** The extension survives, because people recognise a file by it. */
function shorten(name: string): string {
  const letters = [...name];
  if (letters.length <= LONGEST_NAME) return name;
  const extension = extensionOf(name);
  const tail = extension === '' ? '' : `.${extension}`;
  return letters.slice(0, LONGEST_NAME - tail.length).join('') + tail;
}

/** In lower case, without the dot; '' without an extension. */
export function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Gives a downloaded file the extension of its type, so that nothing on the reader's machine takes it for something else. */
export function downloadName(name: string, contentType: string): string {
  const { extensions } = typeOfContent(contentType);
  return extensions.includes(extensionOf(name)) ? name : `${name}.${extensions[0]}`;
}
