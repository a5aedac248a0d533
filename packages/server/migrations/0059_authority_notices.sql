-- why: people learn what the table of authority asks of them once: confirm or undo a link, sign in again, and decide between two owners.

-- Links by the ordinary text: account and wallet get the same notice, because either may have made the link without the other.
create temporary table open_links on commit drop as
select row_number() over (order by id) as number, user_id, address from user_wallets where confirmed_at is null;

with told as (
  insert into events (type, subject_id, data)
  select 'wallet.link_unconfirmed', address, jsonb_build_object('user_id', user_id, 'wallet', address) from open_links order by number
  returning id, subject_id
)
insert into notifications (id, event_id, user_id, wallet, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_l' || lpad(l.number::text, 8, '0'), t.id, l.user_id, l.address,
       'wallet_link_unconfirmed', 'Confirm the link of your wallet',
       'The account ' || l.user_id || ' sees ' || l.address || ' and acts in its orders. To pay from it as well, confirm the link once with this wallet. '
         || 'If you do not know this account, undo the link with this wallet.',
       '/wallet'
from told t join open_links l on l.address = t.subject_id;

-- Sessions by the ordinary text: one notice per wallet.
create temporary table old_sessions on commit drop as
select row_number() over (order by wallet) as number, wallet
from (select distinct wallet from sessions where not by_action and expires_at > market_now()) s;

with told as (
  insert into events (type, subject_id, data) select 'session.sign_in_again', wallet, jsonb_build_object('wallet', wallet) from old_sessions order by number
  returning id, subject_id
)
insert into notifications (id, event_id, wallet, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_s' || lpad(s.number::text, 8, '0'), t.id, s.wallet,
       'sign_in_again', 'Sign in again to pay',
       'Your session with ' || s.wallet || ' still reads and acts until it ends. To pay with it or to set limits, sign out and sign in again: '
         || 'the wallet then shows a message that names this service.',
       '/wallet'
from told t join old_sessions s on s.wallet = t.subject_id;

-- Agents with a wallet and an account that are not linked: the wallet decides.
create temporary table conflicts on commit drop as
select row_number() over (order by id) as number, id, name, slug, owner_wallet, owner_user_id from agents where owner_conflict;

with told as (
  insert into events (type, subject_id, data, context)
  select 'agent.owner_conflict', id, jsonb_build_object('agent_id', id, 'wallet', owner_wallet, 'user_id', owner_user_id),
         jsonb_build_object('agent_name', name, 'owner_wallet', owner_wallet, 'owner_user_id', owner_user_id)
  from conflicts order by number
  returning id, subject_id
)
insert into notifications (id, event_id, user_id, wallet, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_c' || lpad(c.number::text, 8, '0'), t.id, c.owner_user_id, c.owner_wallet,
       'owner_conflict', 'Who owns “' || c.name || '”?',
       'The wallet ' || c.owner_wallet || ' and the account ' || c.owner_user_id || ' both own it and are not linked. Work and payouts go on. '
         || 'Keys, payout and withdrawals cannot be changed until the wallet decides: it signs the link of the account (POST /api/agents/link), '
         || 'or removes the account (PATCH /api/agents/' || c.id || ' with idp_user_id null).',
       '/sell'
from told t join conflicts c on c.id = t.subject_id;
