/** Ways to spoil webhooks, and the invariant that must notice each. */
import type { Corruption } from '../money/corruptions.ts';

const ended = `(select agent_id || agent_seq from webhook_attempts where ends_as = 'delivered' limit 1)`;
const queued = '(select agent_id || agent_seq from webhook_queue limit 1)';

export const webhookCorruptions: readonly Corruption[] = [
  { what: 'an event without its delivery', breaks: 'V04', sql: [`delete from webhook_deliveries where agent_id || agent_seq = ${ended}`] },
  {
    what: 'a delivery of another event',
    breaks: 'V04',
    sql: [
      'alter table webhook_deliveries drop constraint webhook_deliveries_event_id_fkey',
      `update webhook_deliveries set event_id = 0 where agent_id || agent_seq = ${ended}`,
    ],
  },
  { what: 'a delivery that was forgotten', breaks: 'V05', sql: [`delete from webhook_queue where agent_id || agent_seq = ${queued}`] },
  {
    what: 'a delivery that ended and is still under way',
    breaks: 'V05',
    sql: [
      `insert into webhook_queue (agent_id, agent_seq, attempts, tries, next_at) select agent_id, agent_seq, 1, 1, now() from webhook_attempts where agent_id || agent_seq = ${ended}`,
    ],
  },
  { what: 'an attempt that vanished', breaks: 'V05', sql: [`delete from webhook_attempts where agent_id || agent_seq = ${queued}`] },
  {
    what: 'an attempt that was counted twice',
    breaks: 'V05',
    sql: [`update webhook_queue set attempts = attempts + 1 where agent_id || agent_seq = ${queued}`],
  },
  {
    what: 'an attempt after the end',
    breaks: 'V05',
    sql: [
      `insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms)
       select agent_id, agent_seq, number + 1, at, 1 from webhook_attempts where agent_id || agent_seq = ${ended}`,
    ],
  },
  {
    what: 'a second end',
    breaks: 'V05',
    sql: [
      `insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, ends_as)
       select agent_id, agent_seq, number + 1, at, 1, 'failed' from webhook_attempts where agent_id || agent_seq = ${ended}`,
    ],
  },
  {
    what: 'something queued that is no delivery',
    breaks: 'V05',
    sql: [`insert into webhook_queue (agent_id, agent_seq) values ('ext_nobody', 1)`],
  },
  {
    what: 'a former secret in clear',
    breaks: 'V02',
    sql: [`update agents set previous_webhook_secret_sealed = 'whsec_00', previous_webhook_secret_until = market_now()`],
  },
];
