/** Signatures seen in addresses are marked. A stranger cannot mark those of another wallet, and a mark lasts as long as its signature. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { MINUTE, requireOutcomes } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { asHeaders, baseWallet, signed, signedFor } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

test('V19: a stranger who writes a wallet and future times into addresses does not block the wallet’s own signatures', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  // Many programs sign whole seconds. One request marks eight of them; 300 requests a minute cover more than half an hour.
  const first = Math.ceil(Date.now() / 1000) * 1000;
  const times = Array.from({ length: 8 }, (_, second) => `&wallet_sig_ts=${first + second * 1000}`).join('');
  await fetch(`${url}/nothing?wallet=${owner.address}&wallet_sig=0x00${times}`);
  const path = `/api/agents/${agent.id}/rotate-key` as const;
  const fields = await signedFor(url, owner, { method: 'POST', path, body: {} }, first + 2_000);
  requireOutcomes({ 'the owner replaces its key': [await call(url, `POST ${path}`, { headers: asHeaders(fields) }), '200'] });
});

test('V19: a signature dated in the future stays marked until it expires', async () => {
  const owner = baseWallet();
  const at = Date.now() + 60 * MINUTE;
  const fields = await signed(owner, at);
  const refused = await call(url, `GET /api/orders${asQuery(fields)}`);
  // Marks are written in batches, a moment later.
  const outlives = async () => {
    const { rows } = await market.database.pool.query<{ last: Date | null }>('select max(expires_at) as last from addressed_signatures');
    return (rows[0]?.last?.getTime() ?? 0) >= at + 15 * MINUTE ? true : undefined;
  };
  requireOutcomes({
    'the call': [refused, '401 signature_from_future', '400 signature_from_future'],
    'the mark outlives the signature': [await until('a mark that outlives the signature', outlives, 5), true],
  });
});
