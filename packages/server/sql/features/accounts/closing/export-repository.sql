-- Generated from packages/server/src/features/accounts/closing/export-repository.ts by `npm run generate`. Do not edit.

-- not shown: readSection
