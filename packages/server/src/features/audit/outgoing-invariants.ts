/** Invariants of all money out: every intent has the signed bytes that its state says. */
import type { Invariant } from './invariant.ts';

const OPEN = `('signed', 'sent', 'unknown')`;
const INTENTS = `(select id, state from payouts union all select id, state from wallet_movements
          union all select id, state from creator_fee_payouts union all select id, state from earn_intents)`;

export const outgoingInvariants: readonly Invariant[] = [
  {
    id: 'Q01',
    holds: 'what leaves is confirmed exactly when one of its attempts is, and never by two',
    sql: `select i.id as intent_id, i.state, count(a.*)::int as confirmed from ${INTENTS} i
          left join outgoing_attempts a on a.intent_id = i.id and a.state = 'confirmed' group by i.id, i.state
          having count(a.*) <> (i.state = 'confirmed')::int`,
  },
  {
    id: 'Q06',
    holds: 'what may have left has one open attempt with its signed bytes, what has not has none, and no attempt stands alone',
    sql: `select i.id as intent_id, i.state, count(a.*)::int as open from ${INTENTS} i
          left join outgoing_attempts a on a.intent_id = i.id and a.state in ${OPEN} and a.signed_bytes <> '' and a.reference <> ''
          group by i.id, i.state having count(a.*) <> (i.state in ${OPEN})::int
          union all
          select a.intent_id, a.state, 0 from outgoing_attempts a where a.signed_bytes = '' or a.reference = ''
             or not exists (select 1 from ${INTENTS} i where i.id = a.intent_id)`,
  },
];
