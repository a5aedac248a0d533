/** Detects text, and text that a browser would open as a document or program. */
import type { FileBytes } from './file-bytes.ts';

const PIECE_BYTES = 256 * 1024;

/** Valid UTF-8 without a NUL, from the first byte to the last. */
export async function isUtf8Text(bytes: FileBytes): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let offset = 0; offset < bytes.size; offset += PIECE_BYTES) {
      const piece = await bytes.read(offset, PIECE_BYTES);
      if (piece.includes(0)) return false;
      decoder.decode(piece, { stream: true });
    }
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** Tags that open a document or bring in code. Markdown may begin with others. */
const ACTIVE_TAG =
  /^<(?:!doctype|\?|html|head|body|script|svg|iframe|frameset|object|embed|applet|style|link|meta|base|title|form|math|xsl|xml|rss|feed)\b/i;

/** Names under which a browser or a shell would run a text. */
const ACTIVE_EXTENSIONS = new Set(
  'htm html xhtml xht shtml mhtml mht svg svgz xml xsl xslt rss atom js mjs cjs jsx vbs vbe wsf hta swf php phtml asp aspx jsp bat cmd com ps1 sh scr lnk url'.split(
    ' ',
  ),
);

/** Far enough to see past any preface. */
export const OPENING_BYTES = 64 * 1024;

/** Markup and scripts are refused, not stored as text: a user could open them. */
export function isActiveText(text: string, extension: string): boolean {
  if (ACTIVE_EXTENSIONS.has(extension)) return true;
  const opening = skipPreface(text);
  if (opening.startsWith('#!')) return extension !== 'py';
  if (extension === 'md' || extension === 'markdown') return ACTIVE_TAG.test(opening);
  return /^<[a-z!?/]/i.test(opening);
}

/** Removes byte order marks, white space and comments, behind which a browser would still find the document. */
function skipPreface(text: string): string {
  let rest = text;
  for (;;) {
    const next = rest.replace(/^[\ufeff\s]+/, '').replace(/^<!--[\s\S]*?-->/, '');
    if (next === rest) return rest;
    rest = next;
  }
}
