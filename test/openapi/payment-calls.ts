/** Hires and registrations by payment: every form of challenge, every kind of payment, and refused payments. */
import assert from 'node:assert/strict';
import { call } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  hireWith,
  MACHINE_BRIEF,
  openMachineBuyer,
  readOffer,
  transferProof,
  versionOne,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { registerUntilKnown, signRegistration } from '../harness/machine-registrations.ts';
import type { TestMarket } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody, asHeaders, signed } from '../harness/people.ts';

const NETWORK = 'base-mainnet';

export async function callPayments(market: TestMarket, url: string): Promise<void> {
  const [buyer, provider] = await Promise.all([openMachineBuyer(market, NETWORK), openProvider(url)]);
  const service = await listService(url, provider, { price_usd: '1.00' });

  // Challenges: a list, one flat requirement, and strict version 1.
  for (const version of ['', '&x402Version=1', '&chain=solana']) {
    await asked(call(url, `GET /api/x402/discover?service_id=${service}${version}`));
    await asked(call(url, `GET /api/x402/discover/${service}?brief=Hello${version}`));
    await asked(call(url, `POST /api/x402/discover/${service}?${version.slice(1)}`, { body: { brief: MACHINE_BRIEF } }));
    await asked(call(url, `GET /api/x402/pay?service_id=${service}${version}`));
    await asked(call(url, `POST /api/x402/pay?service_id=${service}${version}`, { body: { brief: MACHINE_BRIEF } }));
    await asked(call(url, `POST /api/agents/register?pay=x402${version}`, { body: agentBody() }));
  }
  await asked(call(url, 'POST /api/orders', { body: { service_id: service, brief: MACHINE_BRIEF } }));
  await asked(call(url, 'POST /api/orders?x402Version=1', { body: { service_id: service, brief: MACHINE_BRIEF } }));

  // Refused payments: one that is too small, one without a signature.
  const offer = await readOffer(market, url, service, NETWORK);
  const forged = await buyer.authorise({ ...offer, amount: '1' });
  const unsigned = `0x${'5e'.repeat(32)}`;
  for (const headers of [versionTwo(offer, forged), versionOne(NETWORK, forged), transferProof(NETWORK, unsigned)]) {
    await refused(hireWith(url, service, headers));
    await refused(call(url, `POST /api/x402/discover/${service}`, { headers, body: { brief: MACHINE_BRIEF } }));
    await refused(call(url, `GET /api/x402/discover/${service}?brief=Hello`, { headers }));
    await refused(call(url, 'POST /api/orders', { headers, body: { service_id: service, brief: MACHINE_BRIEF } }));
    await refused(call(url, 'POST /api/agents/register', { headers, body: agentBody() }));
  }

  // Accepted payments: standard in both versions, by transfer, at every entrance.
  const hired = await hireWith(url, service, versionTwo(offer, await buyer.authorise(offer)));
  assert.equal(hired.status, 200, JSON.stringify(hired.body));
  const { read_token: token, order_id: order } = hired.body['data'];
  assert.equal((await call(url, `GET /api/orders/${order}`, { key: token })).status, 200);
  const first = await call(url, `GET /api/x402/discover/${service}?brief=Hello`, {
    headers: versionOne(NETWORK, await buyer.authorise(offer)),
  });
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const placed = await call(url, 'POST /api/orders', {
    headers: versionTwo(offer, await buyer.authorise(offer)),
    body: { service_id: service, brief: MACHINE_BRIEF },
  });
  assert.equal(placed.status, 200, JSON.stringify(placed.body));
  const reference = await buyer.payer.pay(offer.payTo, CHARGED_MICROS, 'final');
  const byTransfer = await hireWith(url, service, { ...transferProof(NETWORK, reference), ...asHeaders(await signed(buyer)) });
  assert.equal(byTransfer.status, 200, JSON.stringify(byTransfer.body));
  const again = await hireWith(url, service, transferProof(NETWORK, reference), { brief: 'Another thing.' });
  assert.ok([402, 409].includes(again.status), JSON.stringify(again.body));
  const registered = await registerUntilKnown(url, await signRegistration(market, url, buyer), agentBody());
  assert.equal(registered.status, 201, JSON.stringify(registered.body));

  // The token's contract accepts no coins.
  const faucet = await call(url, 'POST /sandbox/faucet', { body: { network: NETWORK, address: offer.asset, native: '1' } });
  assert.equal(faucet.status, 400, JSON.stringify(faucet.body));
  await call(url, 'GET /api/payments/networks');
  await call(url, `GET /api/payments/${NETWORK}/${reference}`);
  await call(url, `GET /api/payments/${NETWORK}/${unsigned}`);
  await call(url, `GET /api/payments/prepare?network=${NETWORK}&payer=${buyer.address}&amount_usd=2.00`);
  const feeds = [
    ...(['/api/x402/services?limit=1', '/api/x402/trending', '/api/x402/directory?limit=1', '/discovery/resources?limit=1'] as const),
    ...(['/.well-known/x402?limit=1', '/.well-known/x402.json', '/openapi.json?limit=1', '/api/x402/services?cursor=wrong'] as const),
  ];
  for (const feed of feeds) await call(url, `GET ${feed}`);
}

async function asked(reply: ReturnType<typeof call>): Promise<void> {
  const { status, body } = await reply;
  assert.equal(status, 402, JSON.stringify(body));
}

/** Requires the reason in the body; strict version 1 has only `error`. */
async function refused(reply: ReturnType<typeof call>): Promise<void> {
  const { status, body } = await reply;
  assert.equal(status, 402, JSON.stringify(body));
  assert.equal(body['code'], 'payment_rejected', JSON.stringify(body));
}
