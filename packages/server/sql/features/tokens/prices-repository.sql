-- Generated from packages/server/src/features/tokens/prices-repository.ts by `npm run generate`. Do not edit.

-- listMints
select token_mint as mint
from agents
where token_mint is not null
order by token_created_at desc
limit $1;

-- notePrices
with seen as ( select p.mint, p.picos from unnest($1::text[], $2::bigint[]) p (mint, picos) join agents a on a.token_mint = p.mint)
  , noted as ( insert into token_prices (mint, at, price_pico_usd) select mint, date_bin('5 minutes', market_now(), timestamptz 'epoch'), picos from seen on conflict (mint, at) do nothing) select mint
from seen;

-- thinPrices
delete from token_prices p
where p.at < market_now() - interval '30 days'
  or (p.at < market_now() - interval '1 day' and p.at > market_now() - interval '3 days' and exists ( select from token_prices later where later.mint = p.mint and later.at > p.at and later.at < date_bin('2 hours', p.at, timestamptz 'epoch') + interval '2 hours'));

-- not shown: listPrices
