import type { Generator } from './generator.ts';
import { referenceDocs } from './reference-docs.ts';

/** The only list of generators; `npm run generate` writes what they render. */
export const generators: readonly Generator[] = [referenceDocs];
