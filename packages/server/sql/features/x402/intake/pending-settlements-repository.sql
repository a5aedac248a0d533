-- Generated from packages/server/src/features/x402/intake/pending-settlements-repository.ts by `npm run generate`. Do not edit.

-- not shown: storedSettlements
