/** The audit passes sound webhooks, and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { type Engine, openEngine } from './engine.ts';
import { webhookCorruptions } from './webhook-corruptions.ts';

suite('the audit of webhooks', () => {
  let engine: Engine;
  let receiver: Receiver;
  /** One delivery that arrived, and one that waits for its next attempt. */
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

  test('the audit of webhooks finds nothing in sound data', async () => {
    assert.deepEqual((await findBroken(engine.database)).broken, []);
  });

  for (const { what, breaks, sql } of webhookCorruptions) {
    test(`the audit of webhooks reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(engine.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
