-- Generated from packages/server/src/features/tokens/repository.ts by `npm run generate`. Do not edit.

-- clearTokenColumns
update "agents"
set "token_mint" = $1
  , "token_name" = $2
  , "token_symbol" = $3
  , "token_named_by" = $4
  , "token_read_at" = $5
  , "token_image_url" = $6
  , "token_mode" = $7
  , "token_creator_wallet" = $8
  , "token_tx_hash" = $9
  , "token_created_at" = $10
  , "token_words" = $11
  , "token_launch_attempted_at" = $12
  , "updated_at" = $13
where "id" = $14;

-- hasOpenLaunch
select "mint"
from "agent_mints"
where "agent_id" = $1 and "kind" = $2 and "state" = $3;

-- lockLaunch
update "agents"
set "token_launch_attempted_at" = $1, "updated_at" = $2
where "id" = $3;

-- lockToken
select "id"
  , "owner_wallet"
  , "owner_user_id"
  , "moderation_status"
  , "token_mint"
  , "token_name"
  , "token_symbol"
  , "token_named_by"
  , "token_read_at"
  , "token_words"
  , "token_image_url"
  , "token_mode"
  , "token_creator_wallet"
  , "token_tx_hash"
  , "token_created_at"
  , "token_launch_attempted_at"
from "agents"
where "id" = $1 for update;

-- releaseLaunch
update "agents"
set "token_launch_attempted_at" = $1, "updated_at" = $2
where "id" = $3;

-- writeToken
update "agents"
set "updated_at" = $1
where "id" = $2;
