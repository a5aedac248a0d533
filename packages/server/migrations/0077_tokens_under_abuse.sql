-- why: a token's names follow its mint and look like no other's; a transaction that pays the fee vault may hold fees of several tokens

alter table agents
  -- Null: not compared with the mint yet, which counts as named by its owner.
  add column token_named_by text check (token_named_by in ('mint', 'owner')),
  -- When the mint's own metadata was compared last.
  add column token_read_at timestamptz,
  -- Name and symbol as a reader sees them: spellings that look alike are one text.
  add column token_words text[] not null default '{}',
  add constraint agents_token_named check (token_mint is not null or (token_named_by is null and token_read_at is null and token_words = '{}'));

-- A launch that is under way has its words already.
alter table agent_mints add column words text[] not null default '{}';

-- As `nameSkeleton` in code. Tokens launched here carry what we wrote on their mint.
update agents set
  token_named_by = case when token_mode = 'partner' then 'mint' end,
  token_words = array_remove(array[
    translate(regexp_replace(lower(token_name), '[^a-z0-9@!$]', '', 'g'), '4@3l1!05$7', 'aaeiiiosst'),
    translate(regexp_replace(lower(token_symbol), '[^a-z0-9@!$]', '', 'g'), '4@3l1!05$7', 'aaeiiiosst')], '')
where token_mint is not null;
create index agents_token_words on agents using gin (token_words) where token_mint is not null;
create index agents_token_reading on agents (token_read_at nulls first) where token_mint is not null;

-- Parts of one transaction: one per token, and what belongs to none.
alter table creator_fee_receipts add column part integer not null default 0 check (part >= 0);
alter table creator_fee_receipts drop constraint creator_fee_receipts_pkey, add primary key (reference, part);
