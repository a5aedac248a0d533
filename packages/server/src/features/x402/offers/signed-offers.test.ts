import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  decodeSignedOffers,
  extractJWSHeader,
  extractReceiptPayload,
  findAcceptsObjectFromSignedOffer,
  type SignedOffer,
  type SignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import type { Clock } from '../../../platform/clock/clock.ts';
import { createSigningKey } from '../../../platform/secrets/signing-key.ts';
import { signedReceipt } from '../intake/receipts.ts';
import type { StandardOffer } from './offers.ts';
import { signedOffers } from './signed-offers.ts';
import { createOfferIssuer, didDocumentOf } from './signed-offers-issuer.ts';

const BASE_URL = 'https://market.example:8443';
const URL_OF_SERVICE = `${BASE_URL}/api/x402/discover/svc_1`;
const key = createSigningKey(Buffer.alloc(32, 1));
const former = createSigningKey(Buffer.alloc(32, 2));

const offer = (amount: string, network: StandardOffer['network'] = 'eip155:8453'): StandardOffer => ({
  scheme: 'exact',
  network,
  amount,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 120,
  extra: {},
});

function openSigning(keys = [key]) {
  let seconds = 1_700_000_000;
  const clock: Clock = { now: () => new Date(0), realNow: () => new Date(seconds * 1000) };
  const pass = (more: number) => {
    seconds += more;
  };
  return { clock, issuer: createOfferIssuer(BASE_URL, keys), pass };
}

type Extension = { 'offer-receipt': { info: { offers: SignedOffer[]; receipt: SignedReceipt } } };
const offersIn = (extensions: unknown): SignedOffer[] => (extensions as Extension)['offer-receipt'].info.offers;

/** The fields of the published document that a reader needs. */
interface DidDocument {
  readonly id: string;
  readonly verificationMethod: readonly { readonly id: string; readonly publicKeyJwk: Readonly<Record<string, string>> }[];
  readonly assertionMethod: readonly string[];
}

function publishedAt(baseUrl: string, keys = [key]): { path: string; document: DidDocument } {
  const found = didDocumentOf(baseUrl, keys);
  assert.ok(found);
  return { path: found.path, document: found.document as DidDocument };
}

suite('signed offers', () => {
  test('signed offers match the challenge, one per entry, and verify under the published key', async () => {
    const signing = openSigning();
    const accepts = [offer('1100000'), offer('1100000', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')];
    const offers = offersIn(signedOffers(signing, URL_OF_SERVICE, accepts));
    const { publicKeyJwk } = publishedAt(BASE_URL).document.verificationMethod[0] ?? {};
    assert.ok(publicKeyJwk);
    for (const signed of offers) {
      const payload = await verifyOfferSignatureJWS(signed as never, publicKeyJwk as never);
      assert.deepEqual([payload.version, payload.resourceUrl, payload.validUntil], [1, URL_OF_SERVICE, 1_700_000_600]);
    }
    assert.deepEqual(
      decodeSignedOffers(offers).map((decoded) => findAcceptsObjectFromSignedOffer(decoded, accepts)),
      accepts,
    );
    await assert.rejects(verifyOfferSignatureJWS(offers[0] as never, { kty: 'OKP', crv: 'Ed25519', x: former.publicKey } as never));
  });

  test('signed offers are made once and reused for half of their life', () => {
    const { clock, issuer, pass } = openSigning();
    const shown = () => offersIn(signedOffers({ clock, issuer }, URL_OF_SERVICE, [offer('1100000')]))[0]?.signature;
    const first = shown();
    pass(300);
    assert.equal(shown(), first);
    pass(1);
    assert.notEqual(shown(), first);
  });

  test('offers are signed anew for another price, address or network', () => {
    const signing = openSigning();
    const signed = [
      signedOffers(signing, URL_OF_SERVICE, [offer('1100000'), offer('1100001'), offer('1100000', 'eip155:42161')]),
      signedOffers(signing, `${URL_OF_SERVICE}?brief=x`, [offer('1100000')]),
    ].flatMap(offersIn);
    assert.equal(new Set(signed.map(({ signature }) => signature)).size, 4);
  });

  test('signed offers are left out without a signing key', () => {
    const { clock, issuer } = openSigning([]);
    assert.deepEqual(signedOffers({ clock, issuer }, URL_OF_SERVICE, [offer('1')]), {});
    assert.equal(signedReceipt({ clock, issuer }, { resourceUrl: '', network: '', payer: '', transaction: '' }), undefined);
    assert.equal(didDocumentOf(BASE_URL, []), undefined);
  });
});

suite('signed receipts', () => {
  test('signed receipts name payer, transaction and resource, and verify under the published key', async () => {
    const payment = { resourceUrl: URL_OF_SERVICE, network: 'eip155:8453', payer: '0xpayer', transaction: '0xhash' };
    const extension = signedReceipt(openSigning(), payment) as Extension | undefined;
    assert.ok(extension);
    const { receipt } = extension['offer-receipt'].info;
    const expected = { ...payment, version: 1, issuedAt: 1_700_000_000 };
    assert.deepEqual(
      await verifyReceiptSignatureJWS(receipt as never, { kty: 'OKP', crv: 'Ed25519', x: key.publicKey } as never),
      expected,
    );
    assert.deepEqual(extractReceiptPayload(receipt), expected);
  });
});

suite('the DID document', () => {
  test('the DID document names current and former keys as signatures do, at the path of did:web', () => {
    const { issuer } = openSigning([key, former]);
    const { kid } = extractJWSHeader(issuer?.offerAt(URL_OF_SERVICE, offer('1'), new Date(0)) ?? '');
    const { path, document } = publishedAt(BASE_URL, [key, former]);
    const { id, verificationMethod, assertionMethod } = document;
    assert.deepEqual([path, id], ['/.well-known/did.json', 'did:web:market.example%3A8443']);
    assert.deepEqual(assertionMethod, [kid, `${id}#${former.id}`]);
    assert.deepEqual(
      verificationMethod.map(({ publicKeyJwk }) => publicKeyJwk['x']),
      [key.publicKey, former.publicKey],
    );
  });

  test('the DID document of a service below a path has that path in its name', () => {
    const { path, document } = publishedAt('https://example.com/market/v1');
    assert.deepEqual([path, document.id], ['/did.json', 'did:web:example.com:market:v1']);
  });
});
