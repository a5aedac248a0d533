/** Invariants of all money out: every intent has the signed bytes that its state says. */
import type { Invariant } from './invariant.ts';

const OPEN = `('signed', 'sent', 'unknown')`;
export const outgoingInvariants: readonly Invariant[] = [
  {
    id: 'Q01',
    holds: 'an intent is confirmed exactly when one of its attempts is, and never by two',
    sql: `select i.id as intent_id, i.state, count(a.*)::int as confirmed from outgoing_intents i
          left join outgoing_attempts a on a.intent_id = i.id and a.state = 'confirmed' group by i.id, i.state
          having count(a.*) <> (i.state = 'confirmed')::int`,
  },
  {
    id: 'Q06',
    holds: 'an intent that may have left has one open attempt with signed bytes, and any other has none',
    sql: `select i.id as intent_id, i.state, count(a.*)::int as open from outgoing_intents i
          left join outgoing_attempts a on a.intent_id = i.id and a.state in ${OPEN} and a.signed_bytes <> '' and a.reference <> ''
          group by i.id, i.state having count(a.*) <> (i.state in ${OPEN})::int
          union all
          select a.intent_id, a.state, 0 from outgoing_attempts a where a.signed_bytes = '' or a.reference = ''`,
  },
  {
    id: 'Q11',
    holds: 'every intent has the row of its feature, of its own kind, and no other',
    sql: `select i.id as intent_id, i.purpose from outgoing_intents i
          left join agent_movements m on m.id = i.id left join creator_fee_claims c on c.id = i.id left join venue_calls v on v.id = i.id
          where (m.id is not null) <> (i.purpose in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit'))
             or (c.id is not null) <> (i.purpose = 'creator_fee')
             or (v.id is not null) <> (i.purpose like 'venue\\_%') or i.purpose <> 'venue_' || v.kind
             or (c.id is not null and i.payer <> 'creator_fees') or ((m.id is null and c.id is null) and i.payer <> 'treasury')`,
  },
];
