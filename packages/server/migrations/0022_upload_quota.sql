-- why: the bytes and files of an agent and of an account are summed at every upload, so that quotas hold

create index uploads_of_agent on uploads (agent_id) include (size_bytes) where agent_id is not null;
create index uploads_of_user on uploads (user_id) include (size_bytes) where user_id is not null;
create index uploads_of_wallet on uploads (wallet) include (size_bytes) where wallet is not null;
