/** The pass of the sandbox's own demo. It is made anew by each process, told to one child of it, and opens nothing but the rate limits. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

export function carriesPass(pass: string | undefined): (request: FastifyRequest) => boolean {
  if (pass === undefined) return () => false;
  const expected = Buffer.from(pass);
  return ({ headers }) => {
    const given = headers['x-sandbox-pass'];
    if (typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}
