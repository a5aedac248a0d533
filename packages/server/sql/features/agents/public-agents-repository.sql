-- Generated from packages/server/src/features/agents/public-agents-repository.ts by `npm run generate`. Do not edit.

-- publicAgents
(x.active and x.marketable and x.moderation_status = 'ok' and not x.owner_banned);

-- not shown: isPublicAgent
