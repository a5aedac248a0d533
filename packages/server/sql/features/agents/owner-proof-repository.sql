-- Generated from packages/server/src/features/agents/owner-proof-repository.ts by `npm run generate`. Do not edit.

-- distrustOwner
update "agents"
set "owner_proven" = $1
where "id" = $2;

-- markOwnerConflicts
update "agents"
set "owner_conflict" = $1, "updated_at" = $2
where "owner_user_id" = $3 and "owner_wallet" = $4 and "owner_conflict" = $5
returning "id", "name", "owner_wallet", "owner_user_id";

-- proveOwner
update "agents"
set "owner_proven" = $1
where "id" = $2 and "owner_proven" = $3;
