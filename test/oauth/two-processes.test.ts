/** Two processes behind one address are one authorization server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FAMILY_HOST, openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { MASTER_KEY } from '../harness/market.ts';
import { listToolsAt } from '../harness/mcp.ts';
import {
  allow,
  Browser,
  beginConsent,
  connectProgram,
  exchangeCode,
  follow,
  newPkce,
  readDecision,
  refresh,
  registerProgram,
} from '../harness/oauth.ts';
import { tokenFor } from '../harness/people.ts';

let family: ProcessFamily;
let one: string;
let two: string;
let ines: string;
before(async () => {
  family = await openFamily();
  const settings = { JOBS: 'off', MASTER_KEY, APP_URL: `http://${FAMILY_HOST}` };
  [one, two] = (await Promise.all([family.start(settings), family.start(settings)])).map(({ url }) => url) as [string, string];
  ines = await tokenFor(one, { email: 'ines@example.com' });
});
after(() => family.close());

const mcpStatus = (url: string, token: string): Promise<number> => listToolsAt(url, FAMILY_HOST, token);

test('the first OAuth requests at two processes share one signing key', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => call(n % 2 === 0 ? one : two, 'GET /oauth/jwks')));
  const kids = replies.map(({ body }) => body['keys'].map(({ kid }: Envelope) => kid).join());
  assert.equal(new Set(kids).size, 1, kids.join(' '));
  assert.equal((await family.database.query('select 1 from oauth_signing_keys')).rowCount, 1);
});

test('each step of an OAuth connection may reach another process', async () => {
  const clientId = await registerProgram(one);
  const { verifier, challenge } = newPkce();
  const [atOne, atTwo] = browsers();
  const consent = await beginConsent(atTwo, { clientId, challenge });
  const decided = await atTwo.send(`POST ${consent}/decision`, { body: await readDecision(atOne, consent) });
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  const code = (await follow(atOne, decided)).searchParams.get('code') ?? '';
  const { status, body } = await exchangeCode(two, { clientId, code, verifier });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([await mcpStatus(one, body['access_token']), await mcpStatus(two, body['access_token'])], [200, 200]);
  const renewed = await refresh(one, clientId, body['refresh_token']);
  assert.equal(await mcpStatus(two, renewed.body['access_token']), 200);
});

test('O03: of one OAuth code sent to both processes at once at most one request gets tokens, and they are void', async () => {
  const clientId = await registerProgram(one);
  const { verifier, challenge } = newPkce();
  const [atOne] = browsers();
  const code = (await allow(atOne, await beginConsent(atOne, { clientId, challenge }))).searchParams.get('code') ?? '';
  const replies = await Promise.all([one, two].map((url) => exchangeCode(url, { clientId, code, verifier })));
  const good = replies.filter(({ status }) => status === 200);
  assert.ok(good.length <= 1, JSON.stringify(replies.map(({ body }) => body)));
  for (const { body } of good)
    assert.deepEqual([await mcpStatus(one, body['access_token']), await mcpStatus(two, body['access_token'])], [401, 401]);
});

test('O07: a program disconnected at one process is refused by the other with its next call', async () => {
  const { accessToken, connectionId } = await connectProgram(one, ines);
  assert.equal(await mcpStatus(two, accessToken), 200);
  await expectCall(one, 200, `DELETE /api/connections/${connectionId}`, { key: ines });
  assert.equal(await mcpStatus(two, accessToken), 401);
});

test('O04: of two consent decisions at once at both processes one counts', async () => {
  const clientId = await registerProgram(one);
  const [atOne, atTwo] = browsers();
  const consent = await beginConsent(atOne, { clientId, challenge: newPkce().challenge });
  const body = await readDecision(atTwo, consent);
  const replies = await Promise.all([atOne, atTwo].map((browser) => browser.send(`POST ${consent}/decision`, { body })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404]);
  assert.equal((await family.database.query('select 1 from connections where client_id = $1', [clientId])).rowCount, 1);
});

/** One browser whose requests reach either process. */
function browsers(): [Browser, Browser] {
  const atOne = new Browser(one, { 'idp-token': ines });
  return [atOne, atOne.at(two)];
}
