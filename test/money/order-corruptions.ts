/** Ways to spoil orders that are sound, and the invariant that must notice each. */
import type { Corruption } from './corruptions.ts';

const unguard = (table: string) => `alter table ${table} disable trigger all`;
const anOrder = (where: string) => `(select id from orders o where ${where} order by id limit 1)`;
const settled = (outcome: string) => `(select order_id from settlements where outcome = '${outcome}' order by order_id limit 1)`;
const aHeld = anOrder(`status = 'paid'`);
const aReleased = `(select order_id from order_steps where command = 'auto_release' order by order_id limit 1)`;
const anExpired = `(select order_id from order_steps where command = 'expire' order by order_id limit 1)`;
const anEscalated = `(select order_id from order_steps where command = 'escalate' order by order_id limit 1)`;

const ofTheirMoney: readonly Corruption[] = [
  {
    what: 'a paid order whose escrow holds less',
    breaks: 'N01',
    sql: [`update ledger_accounts set balance_micros = balance_micros - 1 where kind = 'escrow' and owner = ${aHeld}`],
  },
  {
    what: 'an order that ended and still holds money',
    breaks: 'N01',
    sql: [`update ledger_accounts set balance_micros = 1 where kind = 'escrow' and owner = ${settled('payout')}`],
  },
  {
    what: 'a settlement that shares out more than was paid',
    breaks: 'N02',
    sql: [`update settlements set agent_micros = agent_micros + 1 where order_id = ${settled('payout')}`],
  },
  {
    what: 'a settlement without its posting',
    breaks: 'N02',
    sql: [
      unguard('ledger_transfers'),
      `update ledger_transfers set idempotency_key = 'lost' where idempotency_key = 'settle:' || ${settled('refund')}`,
    ],
  },
  {
    what: 'a settlement that says another division than the books',
    breaks: 'N02',
    sql: [`update settlements set agent_micros = agent_micros + 1, fee_micros = fee_micros - 1 where order_id = ${settled('payout')}`],
  },
  {
    what: 'a fee that is no tenth',
    breaks: 'N03',
    sql: [`update settlements set agent_micros = agent_micros - 1, fee_micros = fee_micros + 1 where order_id = ${settled('payout')}`],
  },
  {
    what: 'a fee of a split taken from all of it',
    breaks: 'N03',
    sql: [`update settlements set fee_micros = fee_micros + 1, agent_micros = agent_micros - 1 where order_id = ${settled('split')}`],
  },
  {
    what: 'a completed order that was settled as a refund',
    breaks: 'N04',
    sql: [`update settlements set outcome = 'refund' where order_id = ${settled('payout')}`],
  },
  {
    what: 'a cancelled order whose money went nowhere',
    breaks: 'N04',
    sql: [`delete from settlements where order_id = ${settled('refund')}`],
  },
  {
    what: 'a running order that is settled already',
    breaks: 'N04',
    sql: [
      `insert into settlements (order_id, outcome, agent_micros, fee_micros, refund_micros) select id, 'refund', 0, 0, paid_micros from orders where id = ${aHeld}`,
    ],
  },
  {
    what: 'a payout that also refunds',
    breaks: 'N04',
    sql: [`update settlements set refund_micros = 1, agent_micros = agent_micros - 1 where order_id = ${settled('payout')}`],
  },
];

const ofTheirPayments: readonly Corruption[] = [
  {
    what: 'a paid order without its claim',
    breaks: 'N13',
    sql: [`delete from payment_claims where subject_id = ${aHeld}`],
  },
  {
    what: 'an order that names another payer than its claim',
    breaks: 'N13',
    sql: [`update orders set payer = 'somebody else' where id = ${aHeld}`],
  },
  {
    what: 'an order that says it was paid more',
    breaks: 'N13',
    sql: [`update orders set paid_micros = paid_micros + 1 where id = ${aHeld}`],
  },
  {
    what: 'an order that names another network than its payment',
    breaks: 'N13',
    sql: [`update orders set payment_network = 'alt-mainnet' where id = ${aHeld}`],
  },
  {
    what: 'a payment claimed for an order that was never paid',
    breaks: 'N13',
    sql: [`update payment_claims set subject_id = ${anOrder(`status = 'quoted'`)} where subject_id = ${aHeld}`],
  },
  {
    what: 'a payout of another amount than settled',
    breaks: 'N14',
    sql: [`update payouts set amount_micros = amount_micros - 1 where subject_id = ${settled('payout')}`],
  },
  {
    what: 'a refund to somebody who did not pay',
    breaks: 'N14',
    sql: [`update payouts set destination = 'elsewhere' where subject_id = ${settled('refund')}`],
  },
  {
    what: 'a refund on another network than the payment',
    breaks: 'N14',
    sql: [`update payouts set network = 'alt-mainnet' where subject_id = ${settled('refund')}`],
  },
  {
    what: 'a settled order that nothing leaves for',
    breaks: 'N14',
    sql: [`update payouts set subject_id = 'another' where subject_id = ${settled('payout')}`],
  },
];

const ofTheirHistory: readonly Corruption[] = [
  {
    what: 'an order moved without a step',
    breaks: 'N05',
    sql: [`update orders set status = 'in_progress' where id = ${aHeld}`],
  },
  {
    what: 'a step that is not allowed',
    breaks: 'N05',
    sql: [unguard('order_steps'), `update order_steps set command = 'approve' where order_id = ${aHeld} and command = 'pay'`],
  },
  {
    what: 'a step taken out of the history',
    breaks: 'N05',
    sql: [unguard('order_steps'), `delete from order_steps where order_id = ${aReleased} and number = 2`],
  },
  {
    what: 'a history whose beginning is gone',
    breaks: 'N05',
    sql: [unguard('order_steps'), `delete from order_steps where order_id = ${aHeld} and number = 1`],
  },
  {
    what: 'a step that does not follow the one before',
    breaks: 'N05',
    sql: [unguard('order_steps'), `update order_steps set from_status = 'accepted' where order_id = ${aHeld} and command = 'pay'`],
  },
  {
    what: 'an order without a history',
    breaks: 'N05',
    sql: [unguard('order_steps'), `delete from order_steps where order_id = ${aHeld}`],
  },
  {
    what: 'a release before the review was over',
    breaks: 'N06',
    sql: [`update orders set review_deadline = review_deadline + interval '10 days' where id = ${aReleased}`],
  },
  {
    what: 'a release within a day of the delivery',
    breaks: 'N06',
    sql: [
      unguard('order_steps'),
      `update order_steps set at = (select at from order_steps r where r.order_id = ${aReleased} and r.command = 'auto_release') - interval '1 hour'
       where order_id = ${aReleased} and command = 'deliver'`,
    ],
  },
  {
    what: 'an expiry before its time',
    breaks: 'N06',
    sql: [`update orders set delivery_deadline = delivery_deadline + interval '10 days' where id = ${anExpired}`],
  },
  {
    what: 'an escalation before its time',
    breaks: 'N06',
    sql: [
      unguard('order_steps'),
      `update order_steps set at = at + interval '10 days' where order_id = ${anEscalated} and command = 'revision'`,
    ],
  },
];

const overdue = (column: string, status: string, more = 'true'): string =>
  `update orders set ${column} = market_now() - interval '3 minutes' where id = ${anOrder(`status = '${status}' and ${more}`)}`;

const ofTheRest: readonly Corruption[] = [
  { what: 'a review that ended long ago', breaks: 'N07', sql: [overdue('review_deadline', 'delivered')] },
  { what: 'a delivery that never came', breaks: 'N07', sql: [overdue('delivery_deadline', 'paid')] },
  { what: 'a revision nobody answered', breaks: 'N07', sql: [overdue('revision_deadline', 'revision_requested')] },
  {
    what: 'a workspace that does not end',
    breaks: 'N07',
    sql: [overdue('workspace_ends_at', 'in_progress', 'workspace_ends_at is not null')],
  },
  {
    what: 'a revision that was not counted',
    breaks: 'N08',
    sql: [`update orders set revision_count = 0 where id = ${anOrder('revision_count > 0')}`],
  },
  {
    what: 'more revisions than agreed',
    breaks: 'N08',
    sql: [`update orders set max_revisions = 0, extra_revisions = 0 where id = ${anOrder('revision_count > 0')}`],
  },
  {
    what: 'a quota that was given away',
    breaks: 'N09',
    sql: [`update orders set quota_used = quota_used - 1 where id = ${anOrder('quota_used > 0')}`],
  },
  {
    what: 'a failed request that was counted',
    breaks: 'N09',
    sql: [`update deliverables set status = 'failed' where is_request and status = 'completed'`],
  },
  {
    what: 'a review of an order that is not completed',
    breaks: 'N10',
    sql: [`update reviews set order_id = ${aHeld} where id = (select min(id) from reviews)`],
  },
  {
    what: 'a review among the same people',
    breaks: 'N10',
    sql: [`update orders set related_party = true where id in (select order_id from reviews)`],
  },
  {
    what: 'a review that names another payment than its order',
    breaks: 'V13',
    sql: [`update reviews set payment_reference = 'another' where id = (select min(id) from reviews)`],
  },
  {
    what: 'a flattered reputation of an agent',
    breaks: 'V12',
    sql: [
      `update agent_figures set score_good = score_good + 1 where agent_id = (select max(agent_id) from counted_orders where settled_orders > 0)`,
    ],
  },
  {
    what: 'a buyer whose orders of a period weigh more than they did',
    breaks: 'V12',
    sql: [`update subject_periods set settled = settled + 1, good = good + 1 where subject = (select max(subject) from subject_periods)`],
  },
  {
    what: 'a service that answers faster than it did',
    breaks: 'V12',
    sql: [`update services set first_response_seconds = -1 where first_response_seconds is not null`],
  },
  {
    what: 'a step nobody was told of',
    breaks: 'V03',
    sql: [unguard('events'), `delete from events where type = 'order.paid' and subject_id = ${aHeld}`],
  },
  {
    what: 'a step told twice',
    breaks: 'V03',
    sql: [`insert into events (type, subject_id, data) select type, subject_id, data from events where type = 'order.completed' limit 1`],
  },
  {
    what: 'news of a step that was never taken',
    breaks: 'V03',
    sql: [`insert into events (type, subject_id, data) values ('order.completed', ${aHeld}, '{}')`],
  },
];

const moveFrom = (
  subject: string,
) => `insert into payment_claim_moves (caip2, reference, number, from_purpose, from_subject_id, from_price_micros,
    contestable_until, to_purpose, to_subject_id, to_price_micros, proof, claimed_at)
  select caip2, reference, 1, 'x402', ${subject}, price_micros, market_now(), purpose, subject_id, price_micros, 'wallet', claimed_at
  from payment_claims where subject_id = ${settled('payout')}`;

const presentedFor = (subject: string) => `insert into bare_presentations (caip2, reference, payer, subject_id, ended_at, ended_by)
  select caip2, reference, payer, subject_id, market_now(), 'proof' from payment_claims where subject_id = ${subject}`;

const ofContests: readonly Corruption[] = [
  {
    what: 'a provider paid while the payment could be contested',
    breaks: 'P10',
    sql: [
      `update payment_claims set proof = 'bare', contestable_until = market_now() + interval '1 year' where subject_id = ${settled('payout')}`,
    ],
  },
  { what: 'a moved claim that left a paid order behind', breaks: 'P11', sql: [moveFrom(aHeld)] },
  { what: 'a moved claim whose former money went nowhere', breaks: 'P11', sql: [moveFrom(`'ord_0_nobody'`)] },
  {
    what: 'a claim that is not where it was moved to',
    breaks: 'P12',
    sql: [moveFrom(`'ord_0_nobody'`), `update payment_claims set subject_id = 'ord_0_other' where subject_id = ${settled('payout')}`],
  },
  {
    what: 'a bare purchase whose first presenter was forgotten',
    breaks: 'P13',
    sql: [`update payment_claims set proof = 'bare' where subject_id = ${settled('payout')}`],
  },
  {
    what: 'a first presenter that reads on after the proof of the payer',
    breaks: 'P14',
    sql: [
      presentedFor(settled('payout')),
      `insert into order_tokens (token_hash, order_id, reads_only, holder, expires_at)
       values ('\\x00', ${settled('payout')}, true, 'presenter', market_now() + interval '1 day')`,
    ],
  },
  {
    what: 'a first presenter that is still the buyer after the proof of the payer',
    breaks: 'P14',
    sql: [
      presentedFor(settled('payout')),
      `update orders set client_agent_id = (select min(id) from agents) where id = ${settled('payout')}`,
    ],
  },
];

const ofPayers: readonly Corruption[] = [
  {
    what: 'a proven payer that is no longer known',
    breaks: 'P15',
    sql: [`delete from wallet_proofs where address = (select payer from payment_claims where subject_id = ${settled('payout')})`],
  },
  {
    what: 'a permission to pay from a wallet that never signed',
    breaks: 'P16',
    sql: [
      `insert into agent_payers (agent_id, address, chain, allowed_by)
       select id, '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf', 'base', 'agent:' || id from agents limit 1`,
    ],
  },
];

export const orderCorruptions: readonly Corruption[] = [
  ...ofContests,
  ...ofPayers,
  ...ofTheirMoney,
  ...ofTheirPayments,
  ...ofTheirHistory,
  ...ofTheRest,
];
