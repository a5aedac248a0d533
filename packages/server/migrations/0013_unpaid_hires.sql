-- why: a sweep finds hires whose provider is to be paid as soon as the payment is final and whose timer was lost.
create index orders_paid_at_hire on orders (paid_at)
  where settlement = 'instant' and status in ('paid', 'in_progress', 'delivered', 'revision_requested');
