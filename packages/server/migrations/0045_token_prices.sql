-- why: a chart of a token's price needs earlier prices, and price sources only give the one of now

-- At most one row per token and five minutes; `at` is their beginning. Integers: one is 0.000000000001 USD.
create table token_prices (
  mint text not null,
  at timestamptz not null,
  price_pico_usd bigint not null check (price_pico_usd > 0),
  primary key (mint, at)
);
-- Old ones are thinned out and deleted by age.
create index token_prices_age on token_prices (at);
