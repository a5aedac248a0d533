/** Ways to spoil bounties that are sound, and the invariant that must notice each. */
import type { Corruption } from './corruptions.ts';

const unguard = (table: string) => `alter table ${table} disable trigger all`;
const aBounty = (status: string) => `(select id from bounties where status = '${status}' order by id limit 1)`;
const itsOrder = (status: string) => `(select order_id from bounties where status = '${status}' order by id limit 1)`;
const anOpen = aBounty('open');
const aClaimed = aBounty('claimed');

export const bountyCorruptions: readonly Corruption[] = [
  {
    what: 'a split bounty that paid a tenth of the rest as its fee',
    breaks: 'N03',
    sql: [
      `update settlements set agent_micros = agent_micros + fee_micros - (agent_micros + fee_micros + 5) / 10, fee_micros = (agent_micros + fee_micros + 5) / 10
       where outcome = 'split' and order_id in (select order_id from bounties)`,
    ],
  },
  {
    what: 'a bounty that is hidden although its poster is not banned',
    breaks: 'M01',
    sql: [`update bounties set poster_banned = true where id = ${anOpen}`],
  },
  {
    what: 'an accepted bounty with a pending claim',
    breaks: 'N11',
    sql: [`update bounty_claims set status = 'pending', decided_at = null where bounty_id = ${aClaimed} and status = 'rejected'`],
  },
  {
    what: 'an accepted bounty without an accepted claim',
    breaks: 'N11',
    sql: [`update bounty_claims set status = 'rejected' where bounty_id = ${aClaimed} and status = 'accepted'`],
  },
  {
    what: 'a bounty with two accepted claims',
    breaks: 'N11',
    sql: [
      'drop index bounty_claims_one_accepted',
      `update bounty_claims set status = 'accepted' where bounty_id = ${aClaimed} and status = 'rejected'`,
    ],
  },
  {
    what: 'an accepted bounty without its order',
    breaks: 'N11',
    sql: ['alter table orders drop constraint orders_of_bounty', `update orders set bounty_id = null where id = ${itsOrder('claimed')}`],
  },
  {
    what: 'an order of another agent than the winner',
    breaks: 'N11',
    sql: [
      unguard('orders'),
      `update orders set provider_agent_id = (select agent_id from bounty_claims where bounty_id = ${aClaimed} and status = 'rejected' limit 1) where id = ${itsOrder('claimed')}`,
    ],
  },
  {
    what: 'a cancelled bounty with a pending claim',
    breaks: 'N11',
    sql: [`update bounty_claims set status = 'pending', decided_at = null where bounty_id = ${aBounty('cancelled')}`],
  },
  {
    what: 'two claims of one agent on one bounty',
    breaks: 'N12',
    sql: [
      'alter table bounty_claims drop constraint bounty_claims_once',
      `insert into bounty_claims (id, bounty_id, agent_id, lapses_at) select 'bcl_1700000000000_twice', bounty_id, agent_id, lapses_at from bounty_claims where bounty_id = ${anOpen} limit 1`,
    ],
  },
  {
    what: 'a bounty that counts a claim too many',
    breaks: 'N12',
    sql: [`update bounties set claims_count = claims_count + 1 where id = ${anOpen}`],
  },
  {
    what: 'a bounty that did not follow its order',
    breaks: 'B01',
    sql: [`update bounties set status = 'disputed' where id = ${aClaimed}`],
  },
  {
    what: 'an order with another price than the budget',
    breaks: 'B02',
    sql: [`update bounties set budget_micros = budget_micros + 10000 where id = ${aClaimed}`],
  },
  {
    what: 'an order paid with less than 110%',
    breaks: 'B02',
    sql: [`update orders set paid_micros = paid_micros - 1 where id = ${itsOrder('claimed')}`],
  },
  {
    what: 'a payment for a bounty that nobody won',
    breaks: 'B02',
    sql: [
      unguard('payment_claims'),
      `update payment_claims set subject_id = ${itsOrder('open')} where subject_id = ${itsOrder('claimed')}`,
    ],
  },
  {
    what: 'an open bounty after its claim window',
    breaks: 'B03',
    sql: [`update bounties set expires_at = market_now() - interval '3 minutes' where id = ${anOpen}`],
  },
  {
    what: 'an undecided claim after its window',
    breaks: 'B09',
    sql: [`update bounty_claims set lapses_at = market_now() - interval '3 minutes' where bounty_id = ${anOpen} and status = 'pending'`],
  },
  {
    what: 'an invited claim where no proposals are taken',
    breaks: 'B05',
    sql: [`update bounty_claims set status = 'invited', invited_at = market_now() where bounty_id = ${anOpen} and status = 'pending'`],
  },
  {
    what: 'a winner who was not invited where proposals are taken',
    breaks: 'B05',
    sql: [`update bounties set mode = 'pitch' where id = ${aClaimed}`],
  },
  {
    what: 'an invitation that nobody was told',
    breaks: 'B05',
    sql: [
      `update bounties set mode = 'pitch' where id = ${anOpen}`,
      `update bounty_claims set status = 'invited', invited_at = market_now() where bounty_id = ${anOpen} and status = 'pending'`,
    ],
  },
  {
    what: 'a winner who was not told',
    breaks: 'B04',
    sql: [unguard('events'), `update events set type = 'lost' where type = 'bounty.accepted' and subject_id = ${aClaimed}`],
  },
  {
    what: 'a loser who was told the order of the winner',
    breaks: 'B04',
    sql: [
      unguard('events'),
      `update events set context = context || '{"order_id": "ord_1700000000000_k3v9x1q7a"}' where type = 'bounty.claim_rejected' and subject_id = ${aClaimed}`,
    ],
  },
];
