-- Generated from packages/server/src/features/payments/contest-window-repository.ts by `npm run generate`. Do not edit.

-- endContest
update payment_claims
set contestable_until = $1
where subject_id = $2 and contestable_until > $3;

-- extendContests
update payment_claims c
set contestable_until = $1
where contestable_until > $2
  and contestable_until < $3
  and not exists (select from settlements s where s.order_id = c.subject_id)
  and not exists (select from ledger_transfers t where t.idempotency_key = 'registration_earned:' || c.subject_id);

-- isContestable
select
from payment_claims
where subject_id = $1 and contestable_until > market_now();
