-- Generated from packages/server/src/features/bounties/restored-repository.ts by `npm run generate`. Do not edit.

-- extendRestoredBounties
update "bounties"
set "expires_at" = $1, "updated_at" = market_now()
where "status" = $2 and "expires_at" < $3
returning "id";

-- extendRestoredClaims
update "bounty_claims"
set "lapses_at" = $1
where "status" in ($2, $3) and "lapses_at" < $4
returning "bounty_id";
