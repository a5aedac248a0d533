-- why: scores from before the weights are counted anew, with the time and the score of before; lists walk the new orders by index

-- Apart from the new columns (0072), so that reads go on while these are built.
drop index services_popular, services_category_popular, services_rating, services_category_rating;
create index services_popular on services (completed_weight, rating_rank, id, price_type, price_micros) where listed;
create index services_category_popular on services (category, completed_weight, rating_rank, id, price_type, price_micros) where listed;
create index services_rating on services (rating_rank, rated_weight, id, price_type, price_micros) where listed;
create index services_category_rating on services (category, rating_rank, rated_weight, id, price_type, price_micros) where listed;

-- Begins at nothing; the follower of figures adds every settled order with its weight, batch by batch, while the market is open.
update agent_figures set score_before = score, counted_anew_at = market_now(), score_weight = 0, score_good = 0, buyers = 0, repeat_buyers = 0
  where settled_orders > 0;
update services set score_before = score, counted_anew_at = market_now(), score_weight = 0, score_good = 0, buyers = 0, repeat_buyers = 0
  where settled_orders > 0;
insert into event_queue (follower, event_id)
  select 'figures', max(e.id) from counted_orders c join events e on e.subject_id = c.order_id
  where c.settled_orders > 0 and e.type in ('order.completed', 'order.cancelled') group by c.order_id
  on conflict do nothing;
