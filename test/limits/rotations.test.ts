/** Secrets replaced while they are in use: the overlap of webhook secrets to the second, and keys of requests under way. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { advanceClock } from '../harness/orders.ts';
import { baseWallet, signedFor, type TestWallet } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const HOUR = 3_600;

let market: TestMarket;
let receiver: Receiver;
let owner: TestWallet;
let agent: TestAgent;
before(async () => {
  [market, receiver] = await Promise.all([openMarket({ OUTBOUND_ALLOW: '127.0.0.1' }), openReceiver()]);
  owner = baseWallet();
  agent = await registerOwnedAgent(market.url, owner, { endpoint_url: receiver.url });
});
after(async () => {
  await market.close();
  await receiver.close();
});

async function signedCall(path: `/${string}`, body: Record<string, unknown>): Promise<Reply> {
  return await call(market.url, `POST ${path}`, {
    body: { ...body, ...(await signedFor(market.url, owner, { method: 'POST', path, body })) },
  });
}

async function rotate(overlap_hours: number): Promise<Envelope> {
  const { status, body } = await signedCall(`/api/agents/${agent.id}/webhooks/rotate-secret`, { overlap_hours });
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'];
}

/** Which of these secrets sign a webhook now. */
async function signersNow(secrets: readonly string[]): Promise<boolean[]> {
  const before = receiver.received.length;
  await expectCall(market.url, 200, `POST /api/agents/${agent.id}/webhooks/ping`, { key: agent.key, body: {} });
  const { headers, text } = await until('the ping', async () => receiver.received[before]);
  const header = String(headers['x-market-signature']);
  const [, seconds] = /t=(\d+)/.exec(header) ?? [];
  return secrets.map((secret) => header.includes(`v1=${createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')}`));
}

test('A07: the last two webhook secrets sign, the older one until the promised second or a further replacement by the owner', async () => {
  const first = String((await expectCall(market.url, 200, 'GET /api/agents/me', { key: agent.key }))['webhook_secret']);
  const second = String((await rotate(2))['webhook_secret']);
  assert.deepEqual(await signersNow([first, second]), [true, true]);
  await advanceClock(market.url, HOUR);
  const third = String((await rotate(1))['webhook_secret']);
  assert.deepEqual(await signersNow([first, second, third]), [false, true, true]);

  const refused = await call(market.url, `POST /api/agents/${agent.id}/webhooks/rotate-secret`, {
    key: agent.key,
    body: { overlap_hours: 168 },
  });
  assert.deepEqual([refused.status, refused.body['code']], [403, 'owner_proof_required']);
  await advanceClock(market.url, HOUR - 60);
  assert.deepEqual(await signersNow([first, second, third]), [false, true, true]);
  await advanceClock(market.url, 60);
  assert.deepEqual(await signersNow([first, second, third]), [false, false, true]);
});

test('R15: each request under way while its key is replaced is done or refused, and none is accepted afterwards', async (t) => {
  const lone = await registerAgent(market.url);
  const tally: Record<string, number> = {};
  let { key } = lone;
  for (let round = 0; round < times(3, 20); round++) {
    const old = key;
    let isReplaced = false;
    const clients = Array.from({ length: 10 }, async (_, n) => {
      for (let after = 0; after < 3; ) {
        const wasReplaced = isReplaced;
        if (wasReplaced) after += 1;
        const body = { description: `Does honest work, ${round} and ${n}.` };
        const { status } = await call(market.url, 'PATCH /api/agents/me', { key: old, body });
        assert.ok(status === 401 || (status === 200 && !wasReplaced), `${status}${wasReplaced ? ' after the replacement' : ''}`);
        tally[status] = (tally[status] ?? 0) + 1;
      }
    });
    const rotated = await call(market.url, 'POST /api/agents/me/rotate-key', { key: old, body: {} });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    key = rotated.body['data'].api_key;
    isReplaced = true;
    await Promise.all(clients);
    assert.equal((await call(market.url, 'GET /api/agents/me', { key: old })).status, 401);
  }
  t.diagnostic(JSON.stringify(tally));
  assert.equal((await call(market.url, 'GET /api/agents/me', { key })).status, 200);
});
