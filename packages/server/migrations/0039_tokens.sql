-- why: an agent's token: how it came to be, who made it, and the lock of a paid launch

alter table agents
  add column token_mode text check (token_mode in ('pumpfun', 'partner', 'byot')),
  add column token_creator_wallet text,
  add column token_tx_hash text,
  add column token_created_at timestamptz,
  -- Set just before a launch is paid for, so that no second one is. An operator releases the lock of a launch that made no token.
  add column token_launch_attempted_at timestamptz;

-- Rows of before have a mint only where somebody wrote one by hand.
update agents set token_mode = 'byot', token_creator_wallet = coalesce(owner_wallet, ''), token_created_at = market_now(),
                  token_name = coalesce(token_name, name), token_symbol = coalesce(token_symbol, '')
where token_mint is not null;
alter table agents
  add constraint agents_whole_token check (
    num_nulls(token_mint, token_name, token_symbol, token_mode, token_creator_wallet, token_created_at) in (0, 6)
    and (token_mint is not null or num_nonnulls(token_image_url, token_tx_hash) = 0));
