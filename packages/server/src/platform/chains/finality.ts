/** Degrees of finality, in order. */
import type { Finality } from './chain.ts';

const ORDER: readonly Finality[] = ['seen', 'confirmed', 'final'];

export function lessFinal(a: Finality, b: Finality): Finality {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b;
}
