/** Moderation verdicts notify the owner and the agent only. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { untilHandled } from '../harness/events.ts';
import { type CallOptions, call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, tokenFor } from '../harness/people.ts';

suite('notifications of verdicts', () => {
  let market: TestMarket;
  let provider: Provider;
  before(async () => {
    market = await openMarket();
    provider = await openProvider(market.url);
  });
  after(() => market.close());

  const heard = async (who: CallOptions): Promise<Envelope[]> => (await call(market.url, 'GET /api/notifications', who)).body['data'];

  test('owner and agent are notified with the reason when a verdict hides them and when it shows them again', async () => {
    const key = await tokenFor(market.url, { email: 'root@example.com', admin: true });
    await expectCall(market.url, 200, 'POST /api/auth/user', { key });
    const service = await listService(market.url, provider);
    const judge = (body: object) => expectCall(market.url, 200, 'POST /api/admin/moderation', { key, body });
    await judge({ kind: 'service', id: service, status: 'review', reason: 'Promises a fixed return.' });
    await judge({ kind: 'agent', id: provider.id, status: 'spam', reason: 'Copies another agent.' });
    await judge({ kind: 'agent', id: provider.id, status: 'ok', reason: 'A mistake.' });
    await untilHandled(market.database.pool);

    const toOwner = await heard({ headers: asHeaders(await signed(provider.owner)) });
    assert.deepEqual(
      toOwner.map((row) => row['type']),
      ['agent_moderation_ok', 'agent_moderation_spam', 'service_moderation_review'],
    );
    assert.match(toOwner[2]?.['body'], /“Careful proofreading” is hidden from others\. Reason: “Promises a fixed return\.”/);
    assert.deepEqual(
      (await heard(provider)).map((row) => [row['type'], row['agent_id'], row['order_id']]),
      toOwner.map((row) => [row['type'], provider.id, null]),
    );
    assert.deepEqual(await heard({ headers: asHeaders(await signed(baseWallet())) }), []);
  });
});
