/** A signature that stood in an address in another encoding of its bytes. The call is refused, but the copy could still be used. */
import { after, before, test } from 'node:test';
import { base58 } from '@scure/base';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket();
  ({ url } = market);
});
after(() => market.close());

const bytesOf = ({ chain }: TestWallet, text: string) =>
  chain === 'solana' ? Buffer.from(base58.decode(text)) : Buffer.from(text.slice(2), 'hex');

const ways: readonly [string, () => TestWallet, (bytes: Buffer) => string][] = [
  ['Solana, base64', solanaWallet, (bytes) => bytes.toString('base64')],
  ['Solana, base64url', solanaWallet, (bytes) => bytes.toString('base64url')],
  ['Solana, hex', solanaWallet, (bytes) => bytes.toString('hex')],
  ['EVM, base64', baseWallet, (bytes) => bytes.toString('base64')],
];

for (const [way, makeWallet, encode] of ways) {
  test(`V01, V19: a signature in another encoding in an address is marked as used: ${way}`, async () => {
    const victim = makeWallet();
    const agent = await registerOwnedAgent(url, victim);
    let fields = await signed(victim);
    // The mark of hex text drops the top bit of byte 32, so use a signature that has it: half of them do.
    while (way.endsWith('hex') && ((bytesOf(victim, fields.wallet_sig)[32] ?? 0) & 0x80) === 0) fields = await signed(victim);
    const sent = { ...fields, wallet_sig: encode(bytesOf(victim, fields.wallet_sig)) };
    const refused = await call(url, `GET /api/agents/my${asQuery(sent)}`);
    const stolen = await call(url, 'POST /api/agents/recover', { headers: asHeaders(fields), body: {} });
    requireOutcomes({
      'the call is refused': [refused.status, 401],
      'recovery with the copy': [stolen, '401 signature_already_used'],
      'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
    });
  });
}
