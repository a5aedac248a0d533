/** The pass of the sandbox demo, which only lifts rate limits. Each process makes a new one and gives it to one child process. */
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
