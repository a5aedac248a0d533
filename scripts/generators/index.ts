import { databaseTypes } from './database-types.ts';
import { decisionIndex } from './decision-index.ts';
import { envExample } from './env-example.ts';
import { featureTable } from './feature-table.ts';
import type { Generator } from './generator.ts';
import { referenceDocs } from './reference-docs.ts';
import { repositorySql } from './repository-sql.ts';
import { sampleBlocks } from './samples.ts';
import { sandboxContracts } from './sandbox-contracts.ts';
import { specificationPage } from './specification-page.ts';
import { threatCoverage } from './threat-coverage.ts';

/** The only list of generators; `npm run generate` writes what they render. */
export const generators: readonly Generator[] = [
  envExample,
  databaseTypes,
  referenceDocs,
  sandboxContracts,
  threatCoverage,
  featureTable,
  decisionIndex,
  specificationPage,
  sampleBlocks,
  repositorySql,
];
