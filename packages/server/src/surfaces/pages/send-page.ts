/** Sends a rendered page with a policy that lets only its own scripts and styles run. */
import { createHash } from 'node:crypto';
import type { Page } from '@market/web';
import type { FastifyReply } from 'fastify';

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(page))
    .header('Cache-Control', 'public, max-age=60')
    .send(page.html);
}

/** Only the scripts and styles that the page was made with may run. */
function contentSecurityPolicy({ inlineScripts, inlineStyles }: Page): string {
  const hashes = (texts: readonly string[]): string =>
    texts.length === 0 ? "'none'" : texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes(inlineScripts)}`,
    `style-src ${hashes(inlineStyles)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
