/** Ways to spoil sound records of spending, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const inBudget = `(select id from spendings where status = 'kept' and budget_id is not null limit 1)`;
const approved = `(select id from spendings where status = 'kept' and approval_id is not null limit 1)`;

export const spendingCorruptions: readonly Corruption[] = [
  {
    what: 'a payment that bought an order that does not exist',
    breaks: 'G01',
    sql: [`update spendings set bought_id = 'ord_1_none' where id = ${inBudget}`],
  },
  {
    what: 'a payment that counts and bought nothing',
    breaks: 'G01',
    sql: [`update spendings set bought_id = null, bought_kind = null where id = ${inBudget}`],
  },
  { what: 'a budget session smaller than what it paid', breaks: 'G02', sql: ['update spend_budgets set amount_micros = 1'] },
  { what: 'a budget session of another machine', breaks: 'G02', sql: [`update spend_budgets set owner = 'agent:agt_1_other'`] },
  {
    what: 'a used approval whose payment came to nothing',
    breaks: 'G03',
    sql: [`update spendings set status = 'released' where id = ${approved}`],
  },
  {
    what: 'an approval for less than what was paid',
    breaks: 'G03',
    sql: [`update spend_approvals set amount_micros = 1 where status = 'used'`],
  },
  {
    what: 'an approval that was given back after it was used',
    breaks: 'G03',
    sql: [`update spend_approvals set status = 'approved', spending_id = null where status = 'used'`],
  },
  { what: 'a payment that counts for nobody', breaks: 'G04', sql: [`delete from spending_subjects where spending_id = ${inBudget}`] },
  {
    what: 'a purchase that counts twice',
    breaks: 'G05',
    sql: [
      'drop index spendings_bought_once',
      `insert into spendings (id, principal, operation, reference, amount_micros, status, sentence, bought_kind, bought_id, settled_at)
       select 'spd_1_twice', principal, operation, reference || '2', amount_micros, 'kept', sentence, bought_kind, bought_id, settled_at from spendings where id = ${inBudget}`,
    ],
  },
  {
    what: 'a payment that counts with less than what was paid',
    breaks: 'G06',
    sql: [`update spendings set amount_micros = 1 where id = ${inBudget}`],
  },
  {
    what: 'an order that was paid by machine and counts for nothing',
    breaks: 'G07',
    sql: [`update spendings set status = 'released' where id = ${inBudget}`],
  },
  {
    what: 'a hire that counts as another order than the one its payment bought',
    breaks: 'G07',
    sql: [`update spendings set bought_id = 'ord_1_other' where id = ${inBudget}`],
  },
  {
    what: 'an agent that outlives the connection it was to stop with',
    breaks: 'G08',
    sql: ['update connections set revoked_at = market_now()'],
  },
  {
    what: 'a connection that counts for the program of another person',
    breaks: 'G09',
    sql: [`update connected_programs set person = 'user:somebody_else'`],
  },
  {
    what: 'a payment that does not count for the program that registered its agent',
    breaks: 'G10',
    sql: [`delete from spending_subjects where subject_kind = 'connection'`],
  },
  { what: 'an agent that nothing known registered', breaks: 'G11', sql: [`update agents set created_by = '{program:prog_1_none}'`] },
  { what: 'an approval that nobody may decide', breaks: 'G12', sql: [`update spend_approvals set deciders = '{}'`] },
  { what: 'an approval that a stranger may decide', breaks: 'G12', sql: [`update spend_approvals set deciders = '{user:stranger}'`] },
];
