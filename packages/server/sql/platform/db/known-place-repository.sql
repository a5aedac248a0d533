-- Generated from packages/server/src/platform/db/known-place-repository.ts by `npm run generate`. Do not edit.

-- isRestoredSince
select restored_at > $1 or place <> database_place() as restored
from known_place;

-- readRestoredAt
select "restored_at"
from "known_place";
