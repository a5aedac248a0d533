-- why: a wallet allows an agent to pay from it, and wallets that have proven themselves are kept in one table.

-- A wallet's owner lets an agent pay with this wallet's transfers. Made by a custody signature of the wallet; ends with a new owner.
create table agent_payers (
  agent_id text not null references agents (id),
  address text not null,
  chain text not null check (chain in ('solana', 'base')),
  -- Of a contract wallet: the networks on which it confirmed its signature. Null for keys, which are one wallet on every network.
  proven_on text[] check (cardinality(proven_on) > 0),
  allowed_at timestamptz(3) not null default market_now(),
  -- Who sent the permission: wallet:…, agent:…, user:…
  allowed_by text not null,
  primary key (agent_id, address)
);
create index agent_payers_of_wallet on agent_payers (address);

-- Wallets that have proven themselves here once. Their transfers need a proof; a bare hash is not enough.
create table wallet_proofs (
  address text primary key,
  how text not null check (how in ('signature', 'session', 'link', 'owner', 'order', 'bounty', 'stake', 'deposit', 'connection', 'payment')),
  at timestamptz(3) not null default market_now()
);

insert into wallet_proofs (address, how, at)
select distinct on (address) address, how, at from (
  select address, 'link' as how, linked_at as at from user_wallets
  union all select wallet, 'session', created_at from sessions
  union all select wallet, 'signature', market_now() from spent_signatures
  union all select owner_wallet, 'owner', created_at from agents where owner_wallet is not null and owner_proven
  -- Machines hire without a signature: their claim decides.
  union all select client_wallet, 'order', created_at from orders where client_wallet is not null and kind <> 'machine'
  union all select client_wallet, 'bounty', created_at from bounties
  union all select payer, 'stake', paid_at from bounty_stakes
  union all select payer, 'deposit', created_at from earn_deposits
  union all select substr(person, 8), 'connection', created_at from connections where person like 'wallet:%'
  union all select payer, 'payment', claimed_at from payment_claims where proof <> 'bare' and payer <> 'unknown'
) as proven
where address not in (select address from agent_wallets)
order by address, at
on conflict do nothing;

-- Keys that paid from a wallet of their owner need its permission from now on. The owner is asked once per agent and wallet.
create temporary table asked_payers on commit drop as
select row_number() over (order by a.id, p.payer) as number, a.id as agent_id, a.name, a.slug, a.owner_wallet, a.owner_user_id, p.payer
from (
  select o.client_agent_id as agent_id, c.payer from orders o join payment_claims c on c.subject_id = o.id
  where o.client_agent_id is not null and c.proof = 'wallet'
  union
  select b.agent_id, s.payer from bounty_stakes s join bounty_claims b on b.id = s.claim_id
  union
  select owner_id, payer from earn_deposits where owner_kind = 'agent'
) p
join agents a on a.id = p.agent_id
where (a.owner_wallet is not null or a.owner_user_id is not null)
  and not exists (select 1 from agent_wallets w where w.address = p.payer)
  and (p.payer = a.owner_wallet or exists (select 1 from user_wallets w where w.address = p.payer and w.user_id = a.owner_user_id));

with told as (
  insert into events (type, subject_id, data, context)
  select 'agent.payer_asked', agent_id, jsonb_build_object('agent_id', agent_id, 'wallet', payer),
         jsonb_build_object('agent_name', name, 'owner_wallet', owner_wallet, 'owner_user_id', owner_user_id)
  from asked_payers order by number
  returning id, subject_id, data ->> 'wallet' as payer
)
insert into notifications (id, event_id, user_id, wallet, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_' || lpad(a.number::text, 9, '0'), t.id, a.owner_user_id, a.owner_wallet,
       'payer_asked', 'Allow your agent to pay from your wallet?',
       '“' || a.name || '” paid from ' || a.payer || ' with its API key. From now on a key pays only from wallets that allow it. '
         || 'Allow it on the agent’s wallet page, or pay with your own signature.',
       '/sell/wallet?agent=' || a.slug
from told t join asked_payers a on a.agent_id = t.subject_id and a.payer = t.payer;
