-- why: a workspace without answers no longer counts as completed

-- The follower of figures counts ended workspaces again: only the provider's answers and deliveries count now.
insert into event_queue (follower, event_id)
  select 'figures', e.id from events e join orders o on o.id = e.subject_id
  where e.type in ('order.completed', 'order.cancelled') and o.due_at is null and o.paid_micros > 0 on conflict do nothing;
