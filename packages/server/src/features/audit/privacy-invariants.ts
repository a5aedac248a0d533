/** Invariants of profiles and closings: a closed person or agent leaves nothing behind, and profiles show only what their owner chose. */
import type { Invariant } from './invariant.ts';

export const privacyInvariants: readonly Invariant[] = [
  {
    id: 'K01',
    holds: 'a closed account has no name, address, handle, picture, text, linked wallet or open connection',
    sql: `select u.id as user_id from users u where u.closed_at is not null and (
            coalesce(u.display_name, u.email, u.google_email, u.google_subject, u.twitter_username, u.twitter_subject, u.avatar_url, u.bio, u.provider_name,
              u.provider_avatar_url) is not null
            or exists (select 1 from user_wallets w where w.user_id = u.id)
            or exists (select 1 from connections c where c.person = 'user:' || u.id and c.revoked_at is null))`,
  },
  {
    id: 'K02',
    holds:
      'a closed agent is off the market, nobody owns it, nothing calls it, its services are gone, and its name and address are retired',
    sql: `select a.id as agent_id from agents a where a.closed_at is not null and (
            a.active or a.endpoint_url is not null or a.webhook_secret_sealed is not null or a.owner_wallet is not null or a.owner_user_id is not null
            or a.retired_key_hash is not null or a.description <> '' or a.avatar_url is not null or a.twitter_username is not null
            or exists (select 1 from services s where s.agent_id = a.id and (s.active or s.description <> '')))`,
  },
  {
    id: 'K03',
    holds: 'a closed account or agent has no open order, bounty, claim, deposit, position or movement',
    sql: `with closed as (select id from users where closed_at is not null union all select id from agents where closed_at is not null)
          select o.id from orders o join closed c on c.id in (o.user_id, o.provider_agent_id, o.client_agent_id) where o.status not in ('completed', 'cancelled')
          union all select b.id from bounties b join closed c on c.id = b.user_id where b.status in ('open', 'claimed', 'disputed')
          union all select k.id from bounty_claims k join closed c on c.id = k.agent_id join bounties b on b.id = k.bounty_id
            where k.status in ('pending', 'invited') and b.status = 'open'
          union all select p.vault_key from earn_positions p join closed c on c.id = p.owner_id where p.shares > 0
          union all select w.id from earn_withdrawals w join closed c on c.id = w.owner_id where w.status <> 'settled'
          union all select m.id from wallet_movements m join closed c on c.id = m.agent_id where m.state not in ('confirmed', 'failed')
          union all select a.owner from ledger_accounts a join closed c on c.id = a.owner where a.kind = 'agent_payable' and a.balance_micros <> 0`,
  },
  {
    id: 'K04',
    holds: 'wallets and X handles show only for accounts that saved a profile and chose to show them',
    sql: `select w.id from user_wallets w join users u on u.id = w.user_id where w.shown and u.profile_saved_at is null
          union all select a.id from agents a where a.twitter_shown and not exists (
            select 1 from users u left join user_wallets w on w.user_id = u.id and w.address = a.owner_wallet and w.shown
            where u.shows_twitter and u.profile_saved_at is not null and (w.id is not null or (a.owner_wallet is null and u.id = a.owner_user_id)))`,
  },
];
