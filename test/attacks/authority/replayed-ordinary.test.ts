/** An ordinary signature names neither host nor call. A copy repeats no answer with secrets, even if its first use counted as single use. */
import { after, before, test } from 'node:test';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { agentBody, baseWallet, signed } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

test('V19, V07: a copy of the ordinary signature that registered an agent gets no key under a guessed Idempotency-Key', async () => {
  const owner = baseWallet();
  const body = agentBody({ owner_wallet: owner.address });
  // Another market knows the same signature, because its text names no host.
  const fields = await signed(owner);
  const headers = { 'idempotency-key': 'register-1' };
  const made = await call(url, 'POST /api/agents/register', { headers, body: { ...body, ...fields } });
  // The agent's page shows the fields of the request.
  const stolen = await call(url, 'POST /api/agents/register', { headers, body: { ...body, ...fields } });
  requireOutcomes({
    registration: [made.status < 300, true],
    'keys in the first answer': [valuesOf(made.body, 'api_key').length, 1],
    'keys in the repeated answer': [valuesOf(stolen.body, 'api_key').length, 0],
  });
});
