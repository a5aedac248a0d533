import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordinarySignedText } from '@market/contract';
import { ed25519 } from '@noble/curves/ed25519';
import { base58 } from '@scure/base';
import { verifyKeySignature } from './verify-wallet-signature.ts';

const secret = Buffer.alloc(32, 7);
const address = base58.encode(ed25519.getPublicKey(secret));
const other = base58.encode(ed25519.getPublicKey(Buffer.alloc(32, 8)));
const oneLine = ordinarySignedText(address, 1_763_200_000_000);
const severalLines = `market.example wants you to sign in with your Solana account:\n${address}\n\nSign in.`;

type Header = 'short' | 'full';
const headers: readonly Header[] = ['short', 'full'];

/** The off-chain envelope of the specification, version 0, with one signer. */
function envelopeOf(
  text: string,
  header: Header,
  { format = 0, signer = address, domain = '\xffsolana offchain', application = 0 } = {},
): Buffer {
  const body = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(body.length);
  const between = header === 'short' ? [format] : [...Buffer.alloc(32, application), format, 1, ...base58.decode(signer)];
  return Buffer.concat([Buffer.from(`${domain}\0`, 'latin1'), Buffer.from(between), length, body]);
}

/** Whether a signature over these bytes proves the wallet for the text. */
function proves(signed: Buffer, text: string): Promise<boolean> {
  const signature = base58.encode(ed25519.sign(signed, secret));
  return verifyKeySignature({ chain: 'solana', address, sentAddress: address, textFor: () => text, signature });
}

test('a signature over the off-chain envelope of a hardware wallet proves the wallet, with either header', async () => {
  for (const header of headers) {
    assert.equal(await proves(envelopeOf(oneLine, header), oneLine), true, header);
    for (const format of [0, 1])
      assert.equal(await proves(envelopeOf(severalLines, header, { format }), severalLines), true, `${header} ${format}`);
  }
});

test('A11: an envelope with another text, signer, format, application or domain proves nothing', async () => {
  for (const header of headers) {
    assert.equal(await proves(envelopeOf(`${oneLine}0`, header), oneLine), false);
    assert.equal(await proves(envelopeOf(oneLine, header, { format: 1 }), oneLine), false);
    assert.equal(await proves(envelopeOf(oneLine, header, { format: 2 }), oneLine), false);
    assert.equal(await proves(envelopeOf(oneLine, header, { domain: '\xffsolana onchain!' }), oneLine), false);
  }
  assert.equal(await proves(envelopeOf(oneLine, 'full', { signer: other }), oneLine), false);
  assert.equal(await proves(envelopeOf(oneLine, 'full', { application: 1 }), oneLine), false);
});
