-- Generated from packages/server/src/features/spending/budget-repository.ts by `npm run generate`. Do not edit.

-- closeBudget
update spend_budgets
set closed_at = coalesce(closed_at, market_now())
where id = $1;
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "spend_budgets"."id" = $1;

-- countOpenBudgets
select pg_advisory_xact_lock(hashtextextended($1, 0));
select count(*)::int as "n"
from "spend_budgets"
where "owner" = $1 and "closed_at" is null and "expires_at" > market_now();

-- findBudget
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "spend_budgets"."id" = $1;

-- insertBudget
insert into "spend_budgets" ("expires_at")
values (market_now() + make_interval(secs => $1));
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "spend_budgets"."id" = $1;

-- listBudgets
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "owner" in ($1)
order by "created_at" desc, "id" desc
limit $2;

-- lockBudget
select 1
from spend_budgets
where id = $1 for update;
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "spend_budgets"."id" = $1;

-- requireBudget
select "spend_budgets".*
  , (select coalesce(sum(s.amount_micros), 0)::bigint from spendings s where s.budget_id = spend_budgets.id and s.status in ('reserved', 'kept')) as "used_micros"
  , spend_budgets.expires_at <= market_now() as "is_expired"
from "spend_budgets"
where "spend_budgets"."id" = $1;

-- shrinkBudget
update spend_budgets
set amount_micros = coalesce($1::bigint, amount_micros)
  , expires_at = coalesce(market_now() + make_interval(secs => $2::float8), expires_at)
where id = $3
  and ($4::float8 is null or market_now() + make_interval(secs => $5::float8) <= expires_at)
  and ($6::bigint is null or $7::bigint <= amount_micros);
