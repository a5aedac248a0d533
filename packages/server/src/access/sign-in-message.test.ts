import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MarketError } from '@market/contract';
import { createSIWxMessage, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import fc from 'fast-check';
import { parseSignIn, type SignInMessage, signInText } from './sign-in-message.ts';

const EVM_ADDRESS = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const SOLANA_ADDRESS = 'BSmWDgE9ex6dZYbiTsJGcwMEgFp8q4aWh92hdErQPeVW';

const message: SignInMessage = {
  domain: 'api.example.com',
  address: EVM_ADDRESS,
  uri: 'https://api.example.com/api/orders/ord_1',
  version: '1',
  chainId: 'eip155:8453',
  type: 'eip191',
  nonce: 'a1b2c3d4e5f67890a1b2c3d4e5f67890',
  issuedAt: '2026-11-15T10:30:00.000Z',
  signature: '0x00',
};

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** Characters that EIP-4361 allows in a statement. */
const words = fc.string({ unit: fc.constantFrom(..."abcXYZ019 -._~:/?#[]@!$&'()*+,;="), minLength: 1, maxLength: 60 });
const addresses = fc.webUrl({ validSchemes: ['https'] });
const times = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString());

const messages = fc
  .record({
    onSolana: fc.boolean(),
    statement: optional(words),
    issuedAt: times,
    expirationTime: optional(times),
    notBefore: optional(times),
    requestId: optional(fc.string({ unit: fc.constantFrom(...'abc-019'), minLength: 1, maxLength: 20 })),
    resources: optional(fc.array(addresses, { minLength: 1, maxLength: 3 })),
  })
  .map(({ onSolana, ...more }) => ({
    ...message,
    ...more,
    ...(onSolana && { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', type: 'ed25519' as const, address: SOLANA_ADDRESS }),
  }));

const refused = (thrown: unknown) => thrown instanceof MarketError && thrown.code === 'invalid_signature' && thrown.status === 401;

suite('the signed text', () => {
  test('the signed text is the one official clients sign, with any optional fields', () => {
    fc.assert(
      fc.property(messages, (made) => {
        const { signature: _, address, ...info } = made;
        assert.equal(
          signInText(made as SignInMessage, address),
          createSIWxMessage(info as Parameters<typeof createSIWxMessage>[0], address),
        );
      }),
    );
  });
});

suite('the header', () => {
  test('the header is read as official clients write it', () => {
    fc.assert(
      fc.property(messages, (made) => {
        const sent = JSON.parse(JSON.stringify({ ...made, signatureScheme: 'eip191' }));
        const { signatureScheme: _, ...kept } = sent;
        assert.deepEqual(parseSignIn(encodeSIWxHeader(sent)), kept);
      }),
    );
  });

  test('a header with a line break in any field is refused', () => {
    const fields = ['domain', 'statement', 'uri', 'chainId', 'nonce', 'issuedAt', 'expirationTime', 'notBefore', 'requestId'] as const;
    for (const field of fields) {
      for (const broken of ['a\nURI: https://evil.example', 'a\rb', 'a\u2028b', '']) {
        assert.throws(() => parseSignIn(encodeSIWxHeader({ ...message, [field]: broken })), refused, `${field} ${JSON.stringify(broken)}`);
      }
    }
    assert.throws(() => parseSignIn(encodeSIWxHeader({ ...message, resources: ['https://a.example\n- https://b.example'] })), refused);
  });

  test('a header in any other form is refused with a reason, never with a server error', () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
    const { nonce: _, ...incomplete } = message;
    for (const junk of [
      '',
      '{}',
      'ÿ',
      'bm90IGpzb24=',
      encoded(null),
      encoded([message]),
      encoded(incomplete),
      encoded({ ...message, version: '2' }),
    ]) {
      assert.throws(() => parseSignIn(junk), refused, junk);
    }
    assert.throws(() => parseSignIn(encoded(incomplete)), /nonce/);
  });
});
