-- Generated from packages/server/src/features/discovery/stats/activity-repository.ts by `npm run generate`. Do not edit.

-- not shown: countActivity, listActivity
