/** Our signed offers and receipts, verified by the official package from published data alone. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequired } from '@x402/core/types';
import {
  type DecodedOffer,
  decodeSignedOffers,
  extractJWSHeader,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  type SignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { call } from '../harness/http.ts';
import { MACHINE_BRIEF, openMachineBuyer, versionOne } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

const networks: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet', 'alt-mainnet'];
/** The limits of facilitators and proxies for one header. A payment repeats the challenge and adds its own fields. */
const CHALLENGE_BYTES = 3_072;
const PAYMENT_BYTES = 8_192;

describe('signed offers and receipts', () => {
  let market: TestMarket;
  let serviceId: string;
  before(async () => {
    market = await openMarket(withChains);
    // The longest possible title, because it is in the challenge and in the payment that repeats it.
    serviceId = await listService(market.url, await openProvider(market.url), {
      price_usd: '1.00',
      title: 'A title as long as can be. '.repeat(3).slice(0, 80).trim(),
    });
  });
  after(async () => {
    await market.close();
  });

  const challengeAt = async (route: `${string} /${string}`): Promise<PaymentRequired> => {
    const asked = await call(market.url, route, route.startsWith('POST') ? { body: { service_id: serviceId, brief: MACHINE_BRIEF } } : {});
    assert.equal(asked.status, 402, JSON.stringify(asked.body));
    const header = asked.headers.get('payment-required') ?? '';
    assert.ok(header.length < CHALLENGE_BYTES, `${header.length} bytes`);
    return decodePaymentRequiredHeader(header);
  };

  /** The challenge with its offers signed, loaded from the address in the challenge. */
  const signedOf = async ({ extensions, accepts, resource }: PaymentRequired): Promise<PaymentRequired> => {
    assert.ok(extensions);
    const { offersUrl } = (extensions['offer-receipt'] as { info: { offersUrl: string } }).info;
    const response = await fetch(new URL(offersUrl, resource.url));
    const signed = (await response.json()) as PaymentRequired;
    assert.equal(response.status, 200, JSON.stringify(signed));
    assert.deepEqual([signed.accepts, signed.resource.url], [accepts, resource.url]);
    return signed;
  };

  const requireOffers = async (required: PaymentRequired): Promise<DecodedOffer[]> => {
    const offers = decodeSignedOffers(extractOffersFromPaymentRequired(await signedOf(required)));
    assert.deepEqual(
      offers.map((offer) => findAcceptsObjectFromSignedOffer(offer, required.accepts)),
      required.accepts,
    );
    for (const { signedOffer, resourceUrl, validUntil } of offers) {
      // Resolves the key by its name, over HTTP, from our DID document.
      await verifyOfferSignatureJWS(signedOffer as never);
      assert.equal(resourceUrl, required.resource.url);
      const seconds = (validUntil ?? 0) - Date.now() / 1000;
      assert.ok(seconds > 290 && seconds < 610, `good for ${seconds} s`);
    }
    return offers;
  };

  test('every x402 entrance links to a signature for each of its offers', async () => {
    const entrances = [
      `GET /api/x402/discover/${serviceId}`,
      `GET /api/x402/discover?service_id=${serviceId}`,
      `GET /api/x402/pay?service_id=${serviceId}`,
      'POST /api/orders',
    ] as const;
    const registration = await call(market.url, 'POST /api/agents/register?pay=x402', { body: agentBody() });
    const registering = decodePaymentRequiredHeader(registration.headers.get('payment-required') ?? '');
    assert.equal((await requireOffers(registering)).length, networks.length);
    for (const route of entrances) assert.equal((await requireOffers(await challengeAt(route))).length, networks.length, route);
  });

  test('a repeated request shows the same offer signatures, a changed price new ones', async () => {
    const provider = await openProvider(market.url);
    const id = await listService(market.url, provider, { price_usd: '2.00' });
    const route = `GET /api/x402/discover/${id}` as const;
    const signatures = async () =>
      extractOffersFromPaymentRequired(await signedOf(await challengeAt(route))).map(({ signature }) => signature);
    const first = await signatures();
    assert.deepEqual(await signatures(), first);
    const changed = await call(market.url, `PATCH /api/services/${id}`, { headers: provider.headers, body: { price_usd: '3.00' } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    for (const signature of await signatures()) assert.equal(first.includes(signature), false);
  });

  for (const network of some(networks, 1)) {
    test(`a payment on ${network} that echoes all extensions fits one header, and its receipt matches the offer`, async () => {
      const buyer = await openMachineBuyer(market, network);
      const { caip2 } = buyer.payer.chain;
      const required = await challengeAt(`GET /api/x402/discover/${serviceId}`);
      const accepted = required.accepts.find((offer) => offer.network === caip2);
      const offer = (await requireOffers(required)).find((one) => one.network === caip2);
      assert.ok(accepted && offer);
      const { resource, extensions } = required;
      const payload = await buyer.authorise(accepted as never);
      const header = encodePaymentSignatureHeader({ x402Version: 2, resource, accepted, payload, extensions } as never);
      assert.ok(header.length < PAYMENT_BYTES, `${header.length} bytes`);

      const paid = await fetch(`${required.resource.url}?brief=${encodeURIComponent(MACHINE_BRIEF)}`, {
        headers: { 'payment-signature': header },
      });
      const { data } = (await paid.json()) as { data: { x402: { tx_signature: string } } };
      assert.equal(paid.status, 200, JSON.stringify(data));
      const receipt = extractReceiptFromResponse(paid) as SignedReceipt;
      const verified = await verifyReceiptSignatureJWS(receipt as never);
      assert.deepEqual([verified.payer, verified.transaction], [buyer.address, data.x402.tx_signature]);
      assert.ok(verifyReceiptMatchesOffer(receipt, offer, [buyer.address]));
      const forged = { ...receipt, signature: receipt.signature.replace(/\.[^.]+\./, `.${offer.signedOffer.signature.split('.')[1]}.`) };
      await assert.rejects(verifyReceiptSignatureJWS(forged as never));
    });
  }

  test('an x402 version 1 payment gets its receipt in its own header; a refused payment gets none', async () => {
    const buyer = await openMachineBuyer(market, 'base-mainnet');
    const [accepted] = (await challengeAt(`GET /api/x402/discover/${serviceId}?chain=base`)).accepts;
    const headers = { ...versionOne('base-mainnet', await buyer.authorise(accepted as never)), 'content-type': 'application/json' };
    const address = `${market.url}/api/x402/pay?service_id=${serviceId}`;
    const paid = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ brief: MACHINE_BRIEF }) });
    assert.equal(paid.status, 200);
    const receipt = extractReceiptFromResponse(paid) as SignedReceipt;
    assert.equal((await verifyReceiptSignatureJWS(receipt as never)).resourceUrl, address);

    const poor = await openMachineBuyer(market, 'base-mainnet', 1n);
    const bad = { ...versionOne('base-mainnet', await poor.authorise(accepted as never)), 'content-type': 'application/json' };
    const refused = await fetch(address, { method: 'POST', headers: bad, body: JSON.stringify({ brief: MACHINE_BRIEF }) });
    assert.deepEqual([refused.status, extractReceiptFromResponse(refused)], [402, undefined]);
  });

  test('the public keys of signed offers are published where the signatures point, without the private key', async () => {
    const [offer] = extractOffersFromPaymentRequired(await signedOf(await challengeAt(`GET /api/x402/discover/${serviceId}`)));
    const { kid } = extractJWSHeader(offer?.signature ?? '');
    const published = await call(market.url, 'GET /.well-known/did.json');
    const [method] = published.body['verificationMethod'];
    assert.deepEqual([published.status, method.id, Object.keys(method.publicKeyJwk).includes('d')], [200, kid, false]);
    const { body } = await call(market.url, 'GET /.well-known/x402');
    assert.equal(body['links'].keys, `${market.url}/.well-known/did.json`);
  });

  test('signed offers for something that cannot be bought are refused', async () => {
    for (const [query, code] of [
      ['at=pay', 'invalid_input'],
      ['at=nowhere', 'invalid_input'],
      [`at=pay&service_id=${serviceId}&chain=ethereum`, 'invalid_input'],
      ['at=discover&service_id=svc_1700000000000_nothing00', 'service_not_found'],
    ] as const) {
      assert.equal((await call(market.url, `GET /api/x402/offers?${query}`)).body['code'], code, query);
    }
  });
});
