-- why: revenue of a split counts no fee that came on top of the price, dead claims take no places of a bounty, a window is held for a payment, and what operators took down is hidden

-- As after a release. The fee was counted until now.
with over as (
  select c.order_id, s.fee_micros from counted_orders c join settlements s using (order_id) join orders o on o.id = c.order_id
  where s.outcome = 'split' and o.kind <> 'standard' and c.revenue_micros = s.agent_micros + s.fee_micros
), counted as (
  update counted_orders c set revenue_micros = c.revenue_micros - over.fee_micros from over where c.order_id = over.order_id
  returning c.agent_id, over.fee_micros
)
update agent_figures f set revenue_micros = f.revenue_micros - t.fees
from (select agent_id, sum(fee_micros)::bigint as fees from counted group by agent_id) t where f.agent_id = t.agent_id;

-- Claims of agents that cannot be hired take no places, so there may be more than 20 of them all.
alter table bounties drop constraint bounties_claims_count_check, add constraint bounties_claims_count_check check (claims_count >= 0);

-- When the claim window was held open for a payment that was not final yet: once, and `expires_at` has the new end.
alter table bounties add column held_at timestamptz;

-- Operators hid it: strangers do not see it any more. Null for everything else.
alter table bounties add column taken_down_at timestamptz,
  add constraint bounties_taken_down check (taken_down_at is null or (status in ('cancelled', 'expired') and accepted_claim_id is null));
update bounties b set taken_down_at = a.at from admin_actions a where a.subject_id = b.id and a.action = 'bounty.taken_down';
