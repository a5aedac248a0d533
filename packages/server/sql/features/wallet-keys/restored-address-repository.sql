-- Generated from packages/server/src/features/wallet-keys/restored-address-repository.ts by `npm run generate`. Do not edit.

-- readAddressFacts
select (select restored_at from known_place) as "restoredAt"
  , a.owned_since_restore as "ownedSinceRestore"
  , a.moderation_status as "moderationStatus"
  , coalesce(a.owner_wallet = $1, false) as "isOwnerWallet"
  , exists (select 1 from agent_wallets w where w.agent_id = a.id and w.address = $2) as "isOwn"
  , coalesce(a.payout_wallet = $3 or a.payout_address_base = $4, false) as "isChosen"
  , case $5
  when a.payout_wallet then a.payout_wallet_signed_at
  when a.payout_address_base then a.payout_address_base_signed_at end as "signedAt"
from agents a
where a.id = $6;
