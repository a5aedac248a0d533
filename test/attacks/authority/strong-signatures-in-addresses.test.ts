/** A signature that stood in an address only reads, even one over a whole call: its copy grants, exports and recovers nothing. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { agreed, asHeaders, baseWallet, signedFor } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

test('V07, V19: a custody signature copied from the address of a refused call replaces no key', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  const path = `/api/agents/${agent.id}/rotate-key` as const;
  const fields = await signedFor(url, owner, { method: 'POST', path, body: {} });
  const refused = await call(url, `POST ${path}${asQuery(fields)}`);
  const stolen = await call(url, `POST ${path}`, { headers: asHeaders(fields) });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'replacement with the copy': [stolen, '401 signature_already_used'],
    'keys shown': [valuesOf(stolen.body, 'api_key').length, 0],
    'the owner’s key still works': [await call(url, 'GET /api/agents/me', { key: agent.key }), '200'],
  });
});

test('V05, V19: a custody signature copied from the address of a refused call exports no private key', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  const path = `/api/agents/${agent.id}/export-key` as const;
  const body = { chain: 'base' };
  const fields = await signedFor(url, owner, { method: 'POST', path, body });
  const refused = await call(url, `POST ${path}${asQuery(fields)}`, { body });
  const stolen = await call(url, `POST ${path}`, { headers: asHeaders(fields), body });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'export with the copy': [stolen, '401 signature_already_used'],
    'keys shown': [valuesOf(stolen.body, 'private_key').length, 0],
  });
});

test('V01, V19: a custody signature copied from the address of a refused recovery recovers no key', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  const path = '/api/agents/recover';
  const fields = await signedFor(url, owner, { method: 'POST', path, body: {} });
  const refused = await call(url, `POST ${path}${asQuery(fields)}`);
  const stolen = await call(url, `POST ${path}`, { headers: asHeaders(fields) });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'recovery with the copy': [stolen, '401 signature_already_used'],
    'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
  });
});

test('V02, V19: an action message copied from the address of a refused call opens no session', async () => {
  const owner = baseWallet();
  const message = await agreed(url, owner, { action: 'session' });
  const refused = await call(url, `POST /api/auth/session?${new URLSearchParams(message)}`);
  const stolen = await call(url, 'POST /api/auth/session', { body: message });
  requireOutcomes({
    'the call is refused': [refused.status >= 400, true],
    'session with the copy': [stolen, '401 signature_already_used'],
  });
});
