import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ordinarySignedText } from '@market/contract';
import { ed25519 } from '@noble/curves/ed25519';
import { secp256k1 } from '@noble/curves/secp256k1';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type ContractSignature,
  type SmartWalletVerifier,
  verifyContractSignature,
  verifyKeySignature,
  type WalletSignatureClaim,
} from './verify-wallet-signature.ts';

const CLIENT = '192.0.2.7';
const ON_BASE = { network: 'base-mainnet', caip2: 'eip155:8453' } as const;

/** Verifies as requests do: by key, then by contract. */
async function verifyWalletSignature(claim: WalletSignatureClaim, smart?: SmartWalletVerifier): Promise<boolean> {
  return (await verifyKeySignature(claim)) || (await verifyContractSignature(claim, CLIENT, smart)).length > 0;
}

const signedAtMs = 1_763_200_000_000;
const textFor = (spelling: string) => ordinarySignedText(spelling, signedAtMs);

const evm = privateKeyToAccount('0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const evmSignature = await evm.signMessage({ message: textFor(evm.address) });

const solanaSecret = Buffer.alloc(32, 7);
const solanaAddress = base58.encode(ed25519.getPublicKey(solanaSecret));
const solanaSignature = ed25519.sign(Buffer.from(textFor(solanaAddress)), solanaSecret);

function verifyEvm(
  signature: string,
  changes: { address?: string; sentAddress?: string; textFor?: typeof textFor } = {},
  smart?: SmartWalletVerifier,
) {
  return verifyWalletSignature({ chain: 'base', address: evm.address, sentAddress: evm.address, textFor, signature, ...changes }, smart);
}

function verifySolana(signature: string, changes: { address?: string; sentAddress?: string; textFor?: typeof textFor } = {}) {
  const address = changes.address ?? solanaAddress;
  return verifyWalletSignature({ chain: 'solana', address, sentAddress: address, textFor, signature, ...changes });
}

function evmParts(signature: string): { r: string; s: string; v: number } {
  return { r: signature.slice(2, 66), s: signature.slice(66, 130), v: Number.parseInt(signature.slice(130), 16) };
}

describe('EVM signatures', () => {
  const { r, s, v } = evmParts(evmSignature);
  const parity = v - 27;

  test('each valid encoding of one EVM signature proves the same wallet', async () => {
    const compactS = ((BigInt(parity) << 255n) | BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    for (const signature of [
      evmSignature,
      evmSignature.slice(2),
      `0x${evmSignature.slice(2).toUpperCase()}`,
      `0x${r}${s}0${parity}`,
      `0x${r}${compactS}`,
      `${r}${compactS}`,
    ]) {
      assert.equal(await verifyEvm(signature), true, signature);
    }
  });

  test('EVM signatures with either parity verify in every encoding', async () => {
    const seen = new Set<number>();
    for (let count = 0; count < 20; count++) {
      const account = privateKeyToAccount(generatePrivateKey());
      const signature = await account.signMessage({ message: textFor(account.address) });
      const parts = evmParts(signature);
      const compactS = ((BigInt(parts.v - 27) << 255n) | BigInt(`0x${parts.s}`)).toString(16).padStart(64, '0');
      const claim = { address: account.address, sentAddress: account.address };
      assert.equal(await verifyEvm(signature, claim), true);
      assert.equal(await verifyEvm(`0x${parts.r}${compactS}`, claim), true);
      seen.add(parts.v);
    }
    assert.deepEqual([...seen].sort(), [27, 28]);
  });

  test('a text with the address as sent or as checksummed is accepted, any other spelling is not', async () => {
    const lower = evm.address.toLowerCase();
    const overLower = await evm.signMessage({ message: textFor(lower) });
    assert.equal(await verifyEvm(overLower, { sentAddress: lower }), true);
    assert.equal(await verifyEvm(evmSignature, { sentAddress: lower }), true);
    assert.equal(await verifyEvm(overLower), false);
  });

  test('A11: the other half of a malleable pair (high s) is refused', async () => {
    const highS = (secp256k1.CURVE.n - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    for (const flipped of [0, 1, 27, 28]) assert.equal(await verifyEvm(`0x${r}${highS}${flipped.toString(16).padStart(2, '0')}`), false);
  });

  test('an EVM signature with any other v is refused, also with the EIP-155 values of transactions', async () => {
    for (const bad of [2, 3, 26, 29, 30, 35, 36, 128, 255])
      assert.equal(await verifyEvm(`0x${r}${s}${bad.toString(16).padStart(2, '0')}`), false, `v ${bad}`);
    assert.equal(await verifyEvm(`0x${r}${s}${(55 - v).toString(16)}`), false, 'the wrong parity');
  });

  test('an EVM signature with r or s outside the curve order is refused', async () => {
    const n = secp256k1.CURVE.n.toString(16);
    const zero = '0'.repeat(64);
    const max = 'f'.repeat(64);
    for (const [badR, badS] of [
      [zero, s],
      [r, zero],
      [zero, zero],
      [n, s],
      [r, n],
      [max, s],
      [r, max],
      [max, max],
    ]) {
      assert.equal(await verifyEvm(`0x${badR}${badS}1b`), false);
      assert.equal(await verifyEvm(`0x${badR}${badS}`), false);
    }
  });

  test('an EVM signature of another wallet, another text or another spelling of the time is refused', async () => {
    const other = privateKeyToAccount(generatePrivateKey()).address;
    assert.equal(await verifyEvm(evmSignature, { address: other, sentAddress: other }), false);
    for (const wrong of [signedAtMs / 1000, signedAtMs + 1, Number.NaN, -signedAtMs, `0${signedAtMs}`, `${signedAtMs} `]) {
      assert.equal(await verifyEvm(evmSignature, { textFor: (spelling) => `market:${spelling}:${wrong}` }), false, String(wrong));
    }
  });

  test('an EVM signature over a bare hash, without the personal_sign prefix, is refused', async () => {
    const bare = await evm.sign({ hash: `0x${Buffer.from(textFor(evm.address)).toString('hex').slice(0, 64)}` });
    assert.equal(await verifyEvm(bare), false);
  });

  test('a text that names another wallet than the claimed one is never sent to a node', async () => {
    const other = privateKeyToAccount(generatePrivateKey()).address;
    const overOther = await evm.signMessage({ message: textFor(other) });
    assert.equal(await verifyEvm(overOther, { sentAddress: other }), false);
    assert.equal(await verifyEvm(evmSignature, { sentAddress: solanaAddress }), false);
  });

  test('a text beyond ASCII is measured in bytes, as wallets do', async () => {
    const unicode = (spelling: string) => `märket:${spelling}:🦊`;
    assert.equal(await verifyEvm(await evm.signMessage({ message: unicode(evm.address) }), { textFor: unicode }), true);
  });
});

describe('smart wallets', () => {
  const contractSignature = `0x${'ab'.repeat(300)}`;

  function recordingVerifier(answer: boolean) {
    const asked: ContractSignature[] = [];
    const verifier: SmartWalletVerifier = {
      home: 'base-mainnet',
      async verify(question) {
        asked.push(question);
        return answer ? [ON_BASE] : [];
      },
    };
    return { asked, verifier };
  }

  test('a signature of another length goes to the smart wallet with address and text, and its answer counts', async () => {
    const yes = recordingVerifier(true);
    assert.equal(await verifyEvm(contractSignature, {}, yes.verifier), true);
    assert.deepEqual(yes.asked, [
      { address: evm.address, text: textFor(evm.address), signature: contractSignature, clientAddress: CLIENT },
    ]);
    assert.equal(await verifyEvm(contractSignature, {}, recordingVerifier(false).verifier), false);
    assert.equal(await verifyEvm(contractSignature), false);
  });

  test('a smart wallet is asked with both spellings of its address', async () => {
    const no = recordingVerifier(false);
    await verifyEvm(contractSignature, { sentAddress: evm.address.toLowerCase() }, no.verifier);
    assert.deepEqual(
      no.asked.map(({ text }) => text),
      [textFor(evm.address.toLowerCase()), textFor(evm.address)],
    );
  });

  test('a smart wallet is asked about a 65-byte signature only if the signature does not recover to it', async () => {
    const yes = recordingVerifier(true);
    const owner = privateKeyToAccount(generatePrivateKey());
    assert.equal(await verifyEvm(await owner.signMessage({ message: textFor(evm.address) }), {}, yes.verifier), true);
    assert.equal(yes.asked.length, 1);
    assert.equal(await verifyEvm(evmSignature, { sentAddress: evm.address.toLowerCase() }, yes.verifier), true);
    assert.equal(yes.asked.length, 1);
  });

  test('a smart wallet is not asked about a signature that is not hex, or too long for any wallet', async () => {
    const yes = recordingVerifier(true);
    for (const junk of ['', '0x', '0xabc', 'zz'.repeat(65), `0x${'ab'.repeat(8193)}`, base58.encode(solanaSignature)]) {
      assert.equal(await verifyEvm(junk, {}, yes.verifier), false);
    }
    assert.deepEqual(yes.asked, []);
  });

  test('an unavailable chain is an error, not a wrong signature', async () => {
    const down: SmartWalletVerifier = { home: 'base-mainnet', verify: () => Promise.reject(new Error('no chain')) };
    await assert.rejects(verifyEvm(contractSignature, {}, down), /no chain/);
  });
});

describe('Solana signatures', () => {
  test('a detached Solana signature in base58 proves the wallet', async () => {
    assert.equal(await verifySolana(base58.encode(solanaSignature)), true);
  });

  test('a Solana signature in another encoding is refused', async () => {
    const bytes = Buffer.from(solanaSignature);
    for (const text of [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      `0x${bytes.toString('hex')}`,
      ` ${base58.encode(bytes)}`,
    ]) {
      assert.equal(await verifySolana(text), false, text);
    }
  });

  test('a Solana signature of 63, 65 or other lengths is refused', async () => {
    for (const bytes of [
      solanaSignature.slice(0, 63),
      Uint8Array.of(...solanaSignature, 0),
      Uint8Array.of(0, ...solanaSignature),
      new Uint8Array(0),
    ]) {
      assert.equal(await verifySolana(base58.encode(bytes)), false);
    }
  });

  test('a Solana signature with any flipped bit of signature, key or text is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(511), async (bit) => {
        const altered = Uint8Array.from(solanaSignature);
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.equal(await verifySolana(base58.encode(altered)), false);
      }),
      { numRuns: 40 },
    );
    const other = base58.encode(ed25519.getPublicKey(Buffer.alloc(32, 8)));
    assert.equal(await verifySolana(base58.encode(solanaSignature), { address: other }), false);
    assert.equal(
      await verifySolana(base58.encode(solanaSignature), { textFor: (spelling) => ordinarySignedText(spelling, signedAtMs / 1000) }),
      false,
    );
  });

  test('A11: the malleable twin of a Solana signature, with S + L, is refused', async () => {
    const twin = Uint8Array.from(solanaSignature);
    const sum = littleEndian(twin.subarray(32)) + ed25519.CURVE.n;
    for (let index = 0; index < 32; index++) twin[32 + index] = Number((sum >> BigInt(8 * index)) & 255n);
    assert.equal(await verifySolana(base58.encode(twin)), false);
  });

  test('A11: small-order and non-canonical Solana keys, which verify any text, are refused', async () => {
    const keys = [
      '0100000000000000000000000000000000000000000000000000000000000000',
      '0000000000000000000000000000000000000000000000000000000000000000',
      '0000000000000000000000000000000000000000000000000000000000000080',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      '0100000000000000000000000000000000000000000000000000000000000080',
    ].map((hex) => Buffer.from(hex, 'hex'));
    const identity = Buffer.from(`01${'00'.repeat(31)}`, 'hex');
    const universal = base58.encode(Buffer.concat([identity, Buffer.alloc(32)]));
    const laxly = keys.filter((key) => ed25519.verify(base58.decode(universal), Buffer.from('any text'), key, { zip215: true }));
    assert.ok(laxly.length >= 5, 'these keys do pass a lax verifier');
    for (const key of keys) assert.equal(await verifySolana(universal, { address: base58.encode(key) }), false, key.toString('hex'));
  });

  test('a Solana address off the curve (a program account) proves nothing', async () => {
    const offCurve = Buffer.alloc(32, 0);
    offCurve[0] = 2;
    assert.throws(() => ed25519.ExtendedPoint.fromHex(offCurve));
    assert.equal(await verifySolana(base58.encode(solanaSignature), { address: base58.encode(offCurve) }), false);
  });
});

describe('invalid input', () => {
  test('any text as signature or address is refused without an exception', async () => {
    const junk = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 126, maxLength: 134 }),
      fc.string({ unit: fc.constantFrom(...'123ABCxyz'), minLength: 80, maxLength: 90 }),
    );
    await fc.assert(
      fc.asyncProperty(junk, junk, async (signature, address) => {
        assert.equal(await verifyEvm(signature), false);
        assert.equal(await verifySolana(signature), false);
        assert.equal(await verifyEvm(signature, { address, sentAddress: address }), false);
        assert.equal(await verifySolana(signature, { address }), false);
      }),
    );
  });

  test('a valid signature with the wrong chain is refused', async () => {
    assert.equal(await verifySolana(evmSignature, { address: evm.address }), false);
    assert.equal(await verifyEvm(base58.encode(solanaSignature), { address: solanaAddress, sentAddress: solanaAddress }), false);
  });

  test('I15: a megabyte of signature or address is refused in under a millisecond', async () => {
    for (const letter of ['z', '1', 'a', ' ']) {
      const long = letter.repeat(1_000_000);
      assert.ok((await fastestOf(5, () => verifySolana(long))) < 1);
      assert.ok((await fastestOf(5, () => verifyEvm(long))) < 1);
      assert.ok((await fastestOf(5, () => verifySolana(base58.encode(solanaSignature), { sentAddress: long }))) < 1);
      assert.ok((await fastestOf(5, () => verifyEvm(evmSignature, { sentAddress: long }))) < 1);
    }
  });
});

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** Takes the fastest of a few runs, so that a busy machine does not fail the test. */
async function fastestOf(runs: number, action: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await action();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
