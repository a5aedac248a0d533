/** A sign-in in base64 is marked although four other long texts precede it in the address. */
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { signInText } from '../../../packages/server/src/access/sign-in-message.ts';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { baseWallet, type TestWallet } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
});
after(() => market.close());

async function signedIn(wallet: TestWallet, route: `${string} /${string}`): Promise<string> {
  const { headers } = await call(url, route, route.startsWith('POST') ? { body: {} } : {});
  const required = JSON.parse(Buffer.from(headers.get('payment-required') ?? '', 'base64').toString());
  const { info } = required.extensions['sign-in-with-x'];
  const message = { ...info, address: wallet.address, chainId: 'eip155:8453', type: 'eip191', signature: '' };
  const signature = await wallet.sign(signInText(message, wallet.address));
  return Buffer.from(JSON.stringify({ ...message, signature })).toString('base64');
}

const before4: Record<string, string> = {
  'four hex signatures': Array.from({ length: 4 }, () => `0x${randomBytes(65).toString('hex')}`).join(','),
  'two JWTs with long parts': Array.from(
    { length: 2 },
    () => `${randomBytes(20).toString('base64url')}.${randomBytes(300).toString('base64url')}.${randomBytes(256).toString('base64url')}`,
  ).join(','),
};

for (const [what, refs] of Object.entries(before4)) {
  test(`V01, V19: a sign-in in an address is marked despite ${what} before it`, async () => {
    const victim = baseWallet();
    const agent = await registerOwnedAgent(url, victim);
    const header = await signedIn(victim, 'POST /api/agents/recover');
    const query = new URLSearchParams({ refs, 'SIGN-IN-WITH-X': header });
    const refused = await call(url, `POST /api/agents/recover?${query}`, { body: {} });
    const stolen = await call(url, 'POST /api/agents/recover', { headers: { 'sign-in-with-x': header }, body: {} });
    requireOutcomes({
      'the call is refused': [refused.status >= 400, true],
      'recovery with the copy': [stolen, '401 signature_already_used'],
      'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
    });
  });
}
