/** Every valid form of a wallet signature, and the malformed ones that must be refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519';
import { secp256k1 } from '@noble/curves/secp256k1';
import { base58 } from '@scure/base';
import { asQuery, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { baseWallet, signed, solanaWallet } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

/** The wallet that the service reads from these fields, or the code of the refusal. */
async function identify(fields: Record<string, unknown>): Promise<string> {
  const { body } = await call(market.url, `GET /api/auth/whoami${asQuery(fields)}`);
  return body['success'] ? body['data'].wallet.address : body['code'];
}

test('A11: every valid form of an EVM signature proves the same wallet', async () => {
  const wallet = baseWallet();
  const fields = await signed(wallet);
  const bytes = Buffer.from(fields.wallet_sig.slice(2), 'hex');
  const parity = (bytes[64] ?? 27) - 27;
  const compact = Buffer.from(bytes.subarray(0, 64));
  compact[32] = (compact[32] ?? 0) | (parity << 7);
  const forms = [bytes, Buffer.concat([bytes.subarray(0, 64), Buffer.from([parity])]), compact].map((form) => `0x${form.toString('hex')}`);
  for (const wallet_sig of [...forms, fields.wallet_sig.slice(2), fields.wallet_sig.toUpperCase().replace('0X', '0x')]) {
    for (const address of [wallet.address, wallet.address.toLowerCase()]) {
      assert.equal(await identify({ ...fields, wallet: address, wallet_sig }), wallet.address, `${address} ${wallet_sig}`);
    }
  }
});

test('A11: malformed signatures, wrong chains and weak keys prove nothing and cause no server error', async () => {
  const evm = baseWallet();
  const evmFields = await signed(evm);
  const bytes = Buffer.from(evmFields.wallet_sig.slice(2), 'hex');
  const highS = secp256k1.CURVE.n - BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`);
  const flipped = `0x${bytes.subarray(0, 32).toString('hex')}${highS.toString(16).padStart(64, '0')}${bytes[64] === 27 ? '1c' : '1b'}`;
  const sol = solanaWallet();
  const solFields = await signed(sol);
  const identity = base58.encode(Uint8Array.from([1, ...new Uint8Array(31)]));
  const anyText = base58.encode(Uint8Array.from([1, ...new Uint8Array(63)]));
  const solBytes = base58.decode(solFields.wallet_sig);
  const s = solBytes.slice(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + ed25519.CURVE.n;
  const malleable = Uint8Array.from([
    ...solBytes.slice(0, 32),
    ...Array.from({ length: 32 }, (_, at) => Number((s >> BigInt(8 * at)) & 255n)),
  ]);
  const bent: Record<string, unknown>[] = [
    { ...evmFields, wallet_sig: flipped },
    { ...evmFields, wallet_sig: `${evmFields.wallet_sig.slice(0, -2)}1d` },
    { ...evmFields, wallet_sig: `0x${'0'.repeat(130)}` },
    { ...evmFields, wallet_sig: `0x${'f'.repeat(130)}` },
    { ...evmFields, wallet_sig: `${evmFields.wallet_sig}00` },
    { ...evmFields, wallet_sig: solFields.wallet_sig },
    { ...evmFields, wallet: baseWallet().address },
    { ...evmFields, wallet_chain: 'solana' },
    { ...solFields, wallet_chain: 'base' },
    { ...solFields, wallet_chain: 'bitcoin' },
    { ...solFields, wallet_sig: base58.encode(malleable) },
    { ...solFields, wallet_sig: `${solFields.wallet_sig}1` },
    { ...solFields, wallet_sig: '0OIl'.repeat(22) },
    { ...solFields, wallet_sig: '1'.repeat(88) },
    { ...solFields, wallet: solanaWallet().address },
    { ...solFields, wallet: sol.address.toLowerCase() },
    { ...solFields, wallet: identity, wallet_sig: anyText },
    { ...solFields, wallet: '1'.repeat(32), wallet_sig: '1'.repeat(64) },
  ];
  for (const fields of bent) {
    assert.equal(await identify(fields), 'invalid_signature', JSON.stringify(fields));
  }
});

test('A12: a signing time that is not a count of milliseconds is refused', async () => {
  const wallet = solanaWallet();
  const now = Date.now();
  const { wallet_sig } = await signed(wallet, now);
  for (const stamp of [
    Math.floor(now / 1000),
    0,
    -now,
    now + 0.5,
    'NaN',
    '',
    ' ',
    'now',
    `${now} `,
    `+${now}`,
    `0${now}e0`,
    '1e13',
    null,
    true,
    [now],
    { ts: now },
  ]) {
    // Signed over the real time, the stamp as sent, and the stamp as a careless parser reads it, which would never expire.
    for (const dated of [now, stamp, Number(stamp)]) {
      const body = { wallet: wallet.address, wallet_sig: await wallet.sign(`market:${wallet.address}:${dated}`), wallet_sig_ts: stamp };
      const reply = await call(market.url, 'PUT /api/profile', { body });
      assert.equal(reply.status, 401, `${JSON.stringify(stamp)} signed as ${dated}: ${reply.status} ${reply.body['code']}`);
    }
  }
  const asText = { wallet: wallet.address, wallet_sig, wallet_sig_ts: String(now) };
  assert.equal((await call(market.url, 'PUT /api/profile', { body: asText })).status, 200);
});
