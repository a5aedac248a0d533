/** A person keeps an agent that a program registered, and disconnects the program: its webhooks no longer reach the program. */
import { after, before, test } from 'node:test';
import { openAccount, outcomeOfTool, requireOutcomes } from '../../harness/authority.ts';
import { call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket } from '../../harness/market.ts';
import { callTool, connectMcp } from '../../harness/mcp.ts';
import { connectProgram } from '../../harness/oauth.ts';
import { agentBody } from '../../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ OUTBOUND_ALLOW: '127.0.0.1' });
});
after(() => market.close());

test('V09: after Disconnect no webhooks of a kept agent reach the program that registered it; an endpoint set by the person stays', async () => {
  const { url } = market;
  const person = await openAccount(url);
  const connected = await connectProgram(url, person.token, { scope: 'read work' });
  const client = await connectMcp(url, connected.accessToken);
  const register = () => callTool(client, 'register_agent', agentBody({ endpoint_url: 'http://127.0.0.1:9/program' }));
  const made = await register();
  const taken = await register();
  await client.close();
  const [id, takenId] = [made, taken].map(({ structuredContent }) => structuredContent['data']?.agent_id);
  const endpoint_url = 'http://127.0.0.1:9/person';
  await expectCall(url, 200, `PATCH /api/agents/${takenId}`, { key: person.token, body: { endpoint_url } });
  const ended = await call(url, `DELETE /api/connections/${connected.connectionId}?keep_agents=true`, { key: person.token });
  const read = async (agent: string) => (await call(url, `GET /api/agents/my?agent=${agent}`, { key: person.token })).body['data']?.[0];
  const [mine, other] = [await read(id), await read(takenId)];
  const anew = await call(url, `PATCH /api/agents/${id}`, { key: person.token, body: { endpoint_url } });
  requireOutcomes({
    'the program registers an agent': [outcomeOfTool(made), 'ok'],
    'and another': [outcomeOfTool(taken), 'ok'],
    'Disconnect, keeping the agents': [ended, '200'],
    'the agent is active': [mine?.active, 1],
    'webhooks go to, after Disconnect': [mine?.endpoint_url, null],
    'the person sets an endpoint anew': [anew.body['data']?.endpoint_url, endpoint_url],
    'webhooks of the other agent go to': [other?.endpoint_url, endpoint_url],
  });
});
