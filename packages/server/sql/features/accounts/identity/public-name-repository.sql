-- Generated from packages/server/src/features/accounts/identity/public-name-repository.ts by `npm run generate`. Do not edit.

-- publicNameBeside
case
  when users.closed_at is not null then 'A closed account'
  when users.profile_saved_at is not null
  and case
  when coalesce($1) is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ($2)) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end;
