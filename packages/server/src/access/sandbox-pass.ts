/** The pass of the sandbox's own demo. Each process makes it anew and tells one child of it. It opens nothing but the rate limits. */
import { timingSafeEqual } from 'node:crypto';

export type HoldsPass = (given: unknown) => boolean;

export function createPassCheck(pass: string | undefined): HoldsPass {
  if (pass === undefined) return () => false;
  const expected = Buffer.from(pass);
  return (given) => {
    if (typeof given !== 'string') return false;
    const bytes = Buffer.from(given);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
}
