-- why: a signature belongs to the first call that showed it, links and sessions say how they were proven, and agents remember an owner conflict.

-- One row per ordinary signature of the last minutes: the call that showed it first, and the transfer that it spent.
create table seen_signatures (
  digest bytea primary key,
  call_hash bytea not null,
  transfer text,
  expires_at timestamptz not null
);
create index seen_signatures_expiry on seen_signatures (expires_at);

-- Sessions and links made by the ordinary text keep reading and acting. They do not spend until the wallet signs the new message.
alter table sessions add column by_action boolean not null default false;

-- The wallet's owner agreed to the link by an action message, or the identity provider vouches for it.
alter table user_wallets add column confirmed_at timestamptz;
update user_wallets set confirmed_at = linked_at where proof = 'idp';

-- A wallet and an account own the agent and are not linked: nobody moves, grants or recovers until the wallet decides.
alter table agents add column owner_conflict boolean not null default false;
update agents a set owner_conflict = true
where a.owner_wallet is not null and a.owner_user_id is not null
  and not exists (select 1 from user_wallets w where w.address = a.owner_wallet and w.user_id = a.owner_user_id);
