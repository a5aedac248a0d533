-- Generated from packages/server/src/features/accounts/closing/rename-account-repository.ts by `npm run generate`. Do not edit.

-- replaceUser
insert into users (id, username, closed_at, created_at, updated_at) select $1, $2, $3, created_at, $4
from users
where id = $5;
update agents a
set twitter_username = case when a.owner_user_id = u.id then a.twitter_username end, twitter_shown = false
from users u
where u.id = $1 and a.twitter_username = u.twitter_username and true;
delete from user_wallets
where user_id = $1;
insert into parted_wallets (hash) select sha256(convert_to(user_id || ' ' || address, 'utf8'))
from undone_links
where user_id = $1
on conflict do nothing;
delete from undone_links
where user_id = $1;
update "agents"
set "owner_user_id" = $1
where "owner_user_id" = $2;
update "bounties"
set "user_id" = $1
where "user_id" = $2;
update "counted_buyers"
set "buyer" = $1
where "buyer" = $2;
update "counted_orders"
set "buyer" = $1
where "buyer" = $2;
update "earn_deposits"
set "owner_id" = $1
where "owner_id" = $2;
update "earn_movements"
set "owner_id" = $1
where "owner_id" = $2;
update "earn_positions"
set "owner_id" = $1
where "owner_id" = $2;
update "earn_withdrawals"
set "owner_id" = $1
where "owner_id" = $2;
update "events"
set "subject_id" = $1
where "subject_id" = $2;
update "notifications"
set "user_id" = $1
where "user_id" = $2;
update "order_messages"
set "user_id" = $1
where "user_id" = $2;
update "orders"
set "user_id" = $1
where "user_id" = $2;
update "reviews"
set "user_id" = $1
where "user_id" = $2;
update "subject_buyers"
set "buyer" = $1
where "buyer" = $2;
update "subject_periods"
set "buyer" = $1
where "buyer" = $2;
update "swap_orders"
set "user_id" = $1
where "user_id" = $2;
update "uploads"
set "user_id" = $1
where "user_id" = $2;
update "agent_payers"
set "allowed_by" = $1
where "allowed_by" = $2;
update "connected_programs"
set "person" = $1
where "person" = $2;
update "connections"
set "person" = $1
where "person" = $2;
update "creator_fee_claims"
set "created_by" = $1
where "created_by" = $2;
update "credential_changes"
set "subject" = $1
where "subject" = $2;
update "delayed_moves"
set "owner" = $1
where "owner" = $2;
update "delayed_moves"
set "requested_by" = $1
where "requested_by" = $2;
update "dispute_statements"
set "author" = $1
where "author" = $2;
update "earn_sweeps"
set "set_by" = $1
where "set_by" = $2;
update "event_counters"
set "reader" = $1
where "reader" = $2;
update "event_readers"
set "reader" = $1
where "reader" = $2;
update "order_steps"
set "actor" = $1
where "actor" = $2;
update "saved_searches"
set "owner" = $1
where "owner" = $2;
update "spend_approvals"
set "principal" = $1
where "principal" = $2;
update "spend_approvals"
set "decided_by" = $1
where "decided_by" = $2;
update "spend_budgets"
set "owner" = $1
where "owner" = $2;
update "spend_policies"
set "subject_id" = $1
where "subject_id" = $2;
update "spending_subjects"
set "subject_id" = $1
where "subject_id" = $2;
