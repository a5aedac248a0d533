-- why: a search counts and filters services by the chain of their agent without reading the agents

-- Copied from the agent, like its name. An agent that chose none is paid on Solana in the records of services, too.
alter table services add column agent_chain text not null default 'solana';
update services s set agent_chain = a.payout_chain from agents a where a.id = s.agent_id and a.payout_chain <> 'solana';
create index services_chain on services (agent_chain) where listed;

create or replace function fill_service_agent() returns trigger language plpgsql as
$$ begin
  select a.name, is_agent_listed(a), coalesce(a.payout_chain, 'solana') into new.agent_name, new.agent_listed, new.agent_chain
  from agents a where a.id = new.agent_id for share;
  return new;
end $$;

create or replace function spread_agent_to_services() returns trigger language plpgsql as
$$ begin
  update services set agent_name = new.name, agent_listed = is_agent_listed(new), agent_chain = coalesce(new.payout_chain, 'solana')
  where agent_id = new.id;
  return null;
end $$;
drop trigger agents_spread_to_services on agents;
create trigger agents_spread_to_services after update on agents for each row
  when (old.name is distinct from new.name or is_agent_listed(old) is distinct from is_agent_listed(new)
        or old.payout_held_since is distinct from new.payout_held_since or old.payout_chain is distinct from new.payout_chain)
  execute function spread_agent_to_services();
