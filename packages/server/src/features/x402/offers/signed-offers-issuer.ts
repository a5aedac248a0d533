/**
 * Signs offers and receipts for the `offer-receipt` extension of x402: one JWS each, under a key that our DID document publishes. A signed
 * offer is reused for half of its life, so that asking for a price stays cheap.
 */
import { canonicalJson } from '@market/contract';
import type { SigningKey } from '../../../platform/secrets/signing-key.ts';
import type { StandardOffer } from './offers.ts';

export interface SettledPayment {
  readonly resourceUrl: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer: string;
  readonly transaction: string;
}

export interface OfferIssuer {
  /** The address of our published keys. */
  readonly keysUrl: string;
  /** One JWS. */
  offerAt(url: string, offer: StandardOffer, now: Date): string;
  receiptFor(payment: SettledPayment, now: Date): string;
}

/** No longer than a price is honoured after it changed. */
const OFFER_LIFE_SECONDS = 600;
const LEAST_LIFE_SECONDS = 300;
const MOST_REMEMBERED = 10_000;

interface RememberedOffer {
  readonly jws: string;
  readonly validUntil: number;
}

/** Undefined without a signing key. */
export function createOfferIssuer(baseUrl: string, [key]: readonly SigningKey[]): OfferIssuer | undefined {
  if (key === undefined) return undefined;
  const head = base64url(JSON.stringify({ alg: 'EdDSA', kid: `${didOf(baseUrl)}#${key.id}` }));
  const remembered = new Map<string, RememberedOffer>();

  function signed(payload: Readonly<Record<string, unknown>>): string {
    const content = `${head}.${base64url(canonicalJson(payload))}`;
    return `${content}.${key?.sign(Buffer.from(content)).toString('base64url')}`;
  }

  return {
    keysUrl: `${baseUrl}${keysPath(baseUrl)}`,
    offerAt(resourceUrl, { scheme, network, asset, payTo, amount }, now) {
      const seconds = secondsOf(now);
      const name = [resourceUrl, scheme, network, asset, payTo, amount].join('\n');
      const known = remembered.get(name);
      if (known !== undefined && known.validUntil - seconds >= LEAST_LIFE_SECONDS) return known.jws;
      const validUntil = seconds + OFFER_LIFE_SECONDS;
      const jws = signed({ version: 1, resourceUrl, scheme, network, asset, payTo, amount, validUntil });
      remembered.delete(name);
      remembered.set(name, { jws, validUntil });
      forgetOldest(remembered);
      return jws;
    },
    receiptFor: (payment, now) => signed({ version: 1, ...payment, issuedAt: secondsOf(now) }),
  };
}

/** The DID document that publishes our keys, and its path. */
export function didDocumentOf(baseUrl: string, keys: readonly SigningKey[]): { path: string; document: object } | undefined {
  if (keys.length === 0) return undefined;
  const did = didOf(baseUrl);
  const methods = keys.map(({ id, publicKey }) => ({
    id: `${did}#${id}`,
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey, alg: 'EdDSA', use: 'sig' },
  }));
  return {
    path: keysPath(baseUrl),
    document: {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: methods,
      assertionMethod: methods.map(({ id }) => id),
    },
  };
}

/** The path at which did:web looks: `.well-known` exists only for an address without a path. */
function keysPath(baseUrl: string): string {
  return new URL(baseUrl).pathname === '/' ? '/.well-known/did.json' : '/did.json';
}

/** `did:web:api.example.com`, with the port and the path in the form that method asks for. */
function didOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return ['did:web', host, ...pathname.split('/').filter((part) => part !== '')]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join(':');
}

function forgetOldest(remembered: Map<string, RememberedOffer>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
