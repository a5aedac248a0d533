-- why: what waits for a provider, and what is held for it, is found without reading the orders that have ended
create index orders_open_of_provider on orders (provider_agent_id, created_at desc, id desc) where status not in ('completed', 'cancelled');
create index orders_completed_of_provider on orders (provider_agent_id, completed_at) where status = 'completed';
