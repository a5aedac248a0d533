import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { keyOf } from './plain-request.ts';

const options = { trustedOrigins: new Set(['https://partner.example']), isHttps: false, addressOf: (url: string) => url };
const keyWith = (headers: IncomingHttpHeaders, method = 'GET'): string | undefined =>
  keyOf({ method, url: '/api/services', headers: { host: 'market.example', ...headers } } as IncomingMessage, options);

test('requests that differ only in neutral headers share a key', () => {
  assert.equal(keyWith({}), '/api/services');
  assert.equal(keyWith({ 'user-agent': 'curl', accept: 'application/json', 'sec-fetch-mode': 'cors' }, 'HEAD'), '/api/services');
});

test('a request with credentials, an unknown header, another method or a demand for CSV has no key', () => {
  assert.equal(keyWith({ authorization: 'Bearer x' }), undefined);
  assert.equal(keyWith({ 'x-wallet-signature': 'x' }), undefined);
  assert.equal(keyWith({ cookie: 'market_session=x' }), undefined);
  assert.equal(keyWith({}, 'POST'), undefined);
  assert.equal(keyWith({ accept: 'text/csv' }), undefined);
});

test('requests of a trusted origin have a key of their own, those of all others share one', () => {
  const [trusted, one, other] = ['https://partner.example', 'https://a.example', 'https://b.example'].map((origin) => keyWith({ origin }));
  assert.notEqual(trusted, one);
  assert.equal(one, other);
});
