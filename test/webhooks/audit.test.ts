/** The audit passes webhooks that are sound, and names the broken promise of every spoilt one. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import type { Corruption } from '../money/corruptions.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { type Engine, openEngine } from './engine.ts';

const ended = `(select agent_id || agent_seq from webhook_attempts where ends_as = 'delivered' limit 1)`;
const queued = '(select agent_id || agent_seq from webhook_queue limit 1)';

const corruptions: readonly Corruption[] = [
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
      `insert into webhook_queue (agent_id, agent_seq, attempts, tries) select agent_id, agent_seq, 1, 1 from webhook_attempts where agent_id || agent_seq = ${ended}`,
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

suite('the audit of webhooks', () => {
  let engine: Engine;
  let receiver: Receiver;
  /** One delivery that arrived and one that waits for its next attempt. */
  before(async () => {
    engine = await openEngine();
    receiver = await openReceiver((response, { path }) => void response.writeHead(path === '/bad' ? 500 : 200).end());
    const agents = [await engine.addAgent(receiver.url), await engine.addAgent(`${receiver.url}/bad`)];
    await engine.database.pool.query(
      `update agents set endpoint_since = endpoint_since - interval '1 hour', webhook_extended_retries = true`,
    );
    const sender = await engine.startSender();
    await engine.tell(agents);
    await until('three attempts', async () => {
      const { rows } = await engine.database.pool.query('select attempts from webhook_queue');
      return rows.length === 1 && rows[0].attempts === 3 ? true : undefined;
    });
    await sender.stop();
  });
  after(async () => {
    await engine.close();
    await receiver.close();
  });

  test('finds nothing where all is sound', async () => {
    assert.deepEqual((await findBroken(engine.database)).broken, []);
  });

  for (const { what, breaks, sql } of corruptions) {
    test(`notices ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(engine.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
