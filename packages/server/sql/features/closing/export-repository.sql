-- Generated from packages/server/src/features/closing/export-repository.ts by `npm run generate`. Do not edit.

-- not shown: readSection
