-- Generated from packages/server/src/features/agents/browse-repository.ts by `npm run generate`. Do not edit.

-- not shown: browseAgents
