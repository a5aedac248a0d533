-- Generated from packages/server/src/features/bounties/stakes-repository.ts by `npm run generate`. Do not edit.

-- decideStakes
update "bounty_stakes"
set "status" = $1, "decided_at" = $2
where "id" in ($3) and "status" = $4;

-- insertStake
insert into "bounty_stakes" ()
values ();

-- stakeReturn
(select p.reference from payouts p where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed');
