-- why: the first presenter of a bare transfer gets a token that only reads, or the key of the agent, without being proven as the payer

-- Such a token reads its order and does nothing else.
alter table order_tokens add column reads_only boolean not null default false;

-- False while nothing but a public reference says that the owner's wallet wanted this agent: its key then vouches for no wallet.
alter table agents add column owner_proven boolean not null default true;
