/**
 * Signatures whose bytes stood in an address as clients write them by mistake: a Uint8Array or `bytes` in the query, or the parts of
 * an EVM signature. The call is refused and logged; a reader of the log can restore the signature.
 */
import { after, before, test } from 'node:test';
import { base58 } from '@scure/base';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { agreed, asHeaders, baseWallet, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket();
  ({ url } = market);
});
after(() => market.close());

const bytesOf = ({ chain }: TestWallet, text: string) =>
  chain === 'solana' ? Buffer.from(base58.decode(text)) : Buffer.from(text.slice(2), 'hex');
const raw = (bytes: Buffer) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const asPython = (bytes: Buffer) => {
  const inner = Array.from(bytes, (byte) =>
    byte === 0x5c
      ? '\\\\'
      : byte >= 0x20 && byte < 0x7f && byte !== 0x27
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `b'${inner.join('')}'`;
};
const part = (bytes: Buffer, from: number) => `0x${bytes.subarray(from, from + 32).toString('hex')}`;

/** Each way to write the signature into the query. */
const ways: readonly [string, () => TestWallet, (bytes: Buffer) => string][] = [
  // JavaScript: `${await wallet.signMessage(text)}`, or the same in URLSearchParams.
  ['Solana, a Uint8Array in a template', solanaWallet, (bytes) => `wallet_sig=${String(new Uint8Array(bytes))}`],
  ['Solana, JSON of an array', solanaWallet, (bytes) => `wallet_sig=${encodeURIComponent(JSON.stringify([...bytes]))}`],
  ['Solana, JSON of a Buffer', solanaWallet, (bytes) => `wallet_sig=${encodeURIComponent(JSON.stringify(bytes))}`],
  // Python: requests.get(…, params={'wallet_sig': signed.signature}), where signature is bytes or HexBytes.
  ['Solana, bytes in escapes', solanaWallet, (bytes) => `wallet_sig=${raw(bytes)}`],
  ['EVM, bytes in escapes', baseWallet, (bytes) => `wallet_sig=${raw(bytes)}`],
  ['Solana, the text of Python’s bytes', solanaWallet, (bytes) => `wallet_sig=${encodeURIComponent(asPython(bytes))}`],
  ['Solana, JSON of a Uint8Array', solanaWallet, (bytes) => `wallet_sig=${encodeURIComponent(JSON.stringify(new Uint8Array(bytes)))}`],
  ['Solana, multibase', solanaWallet, (bytes) => `wallet_sig=z${base58.encode(bytes)}`],
  ['EVM, r and s as Python’s numbers', baseWallet, (bytes) => `r=${BigInt(part(bytes, 0))}&s=${BigInt(part(bytes, 32))}&v=${bytes[64]}`],
  ['EVM, r, s and v apart', baseWallet, (bytes) => `wallet_sig=&r=${part(bytes, 0)}&s=${part(bytes, 32)}&v=${bytes[64]}`],
];

for (const [way, makeWallet, encode] of ways) {
  test(`V01, V19: a signature written as bytes into an address is marked as used: ${way}`, async () => {
    const victim = makeWallet();
    const agent = await registerOwnedAgent(url, victim);
    const fields = await signed(victim);
    const sent = `wallet=${fields.wallet}&wallet_sig_ts=${fields.wallet_sig_ts}&${encode(bytesOf(victim, fields.wallet_sig))}`;
    const refused = await fetch(`${url}/api/agents/my?${sent}`);
    const stolen = await call(url, 'POST /api/agents/recover', { headers: asHeaders(fields), body: {} });
    requireOutcomes({
      'the call is refused': [refused.status >= 400, true],
      'recovery with the copy': [stolen, '401 signature_already_used'],
      'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
    });
  });
}

test('V02, V19: an action message whose signature stood in an address as bytes opens no session', async () => {
  const victim = solanaWallet();
  const message = await agreed(url, victim, { action: 'session' });
  const bytes = String(new Uint8Array(bytesOf(victim, message.wallet_sig)));
  const query = new URLSearchParams({ ...message, wallet_sig: bytes });
  const refused = await call(url, `POST /api/auth/session?${query}`, { body: {} });
  const stolen = await call(url, 'POST /api/auth/session', { body: message });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'a session by the copy': [stolen, '401 signature_already_used'],
  });
});
