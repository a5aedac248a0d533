/** Fields that a stranger or program wrote into an agent's record end when the owner proves itself or disconnects the program. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../../harness/agents.ts';
import { disconnect, openAccount, outcomeOfTool, requireOutcomes, type Steps, valuesOf } from '../../harness/authority.ts';
import { type CallOptions, call, expectCall } from '../../harness/http.ts';
import { transferProof } from '../../harness/machine-buyers.ts';
import { registerWith, requireRegistered } from '../../harness/machine-registrations.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { callTool, connectMcp, type ToolReply } from '../../harness/mcp.ts';
import { connectProgram } from '../../harness/oauth.ts';
import { openBuyer } from '../../harness/orders.ts';
import { agentBody, agreed, asHeaders, baseWallet, signed, solanaWallet } from '../../harness/people.ts';

const NETWORK = 'base-mainnet';
const THIEFS = 'https://93.184.216.34/thief';
const OWN = 'https://93.184.216.34/own';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withChains);
  ({ url } = market);
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(url, route, options);
const edit = (key: string, body: Record<string, unknown>) => send('PATCH /api/agents/me', { key, body });
const readOwn = async (key: unknown) => await expectCall(url, 200, 'GET /api/agents/me', { key: String(key) });

async function useTool(accessToken: string, tool: string, args: Record<string, unknown>): Promise<ToolReply> {
  const client = await connectMcp(url, accessToken);
  try {
    return await callTool(client, tool, args);
  } finally {
    await client.close();
  }
}

/** A stranger registers with a public reference, and directs the agent's webhooks to itself. */
async function takenRegistration(body: Record<string, unknown>) {
  const payer = await openBuyer(market, NETWORK);
  const headers = transferProof(NETWORK, await payer.payer.pay(payer.payer.chain.treasury, 1_000_000n));
  const stolen = await requireRegistered(registerWith(url, headers, body));
  assert.equal((await edit(String(stolen['api_key']), { endpoint_url: THIEFS })).status, 200);
  return { payer, headers, id: String(stolen['agent_id']) };
}

test('V14: an endpoint that a stranger set with a provisional key ends when the payer repeats the registration', async () => {
  const steps: Record<string, Steps[string]> = {};
  for (const body of [agentBody(), agentBody({ endpoint_url: OWN })]) {
    const { payer, headers } = await takenRegistration(body);
    const own = await requireRegistered(registerWith(url, { ...headers, ...asHeaders(await signed(payer)) }, body));
    const record = await readOwn(own['api_key']);
    const asked = body['endpoint_url'] as string | undefined;
    steps[`asked for ${asked ?? 'none'}`] = [record['endpoint_url'], asked ?? null];
    assert.equal(typeof own['api_key'], 'string');
  }
  requireOutcomes(steps);
});

test('V14: an endpoint that a stranger set with a provisional key ends when the payer recovers the key', async () => {
  const { payer, id } = await takenRegistration(agentBody());
  const recovered = await expectCall(url, 200, 'POST /api/agents/recover', { body: await signed(payer) });
  const [agent] = recovered['agents'];
  assert.deepEqual([agent.agent_id, agent.replaced], [id, true]);
  const record = await readOwn(agent.api_key);
  requireOutcomes({ 'webhooks go to': [record['endpoint_url'], null] });
});

test('V07: a payout address written with the key of an ownerless agent ends with a new owner', async () => {
  const thief = { payout_wallet: solanaWallet().address, payout_address_base: baseWallet().address, payout_chain: 'base' };
  const [byWallet, byAccount, named] = [await registerAgent(url), await registerAgent(url), await registerAgent(url)];
  for (const { key } of [byWallet, byAccount, named]) assert.equal((await edit(key, thief)).status, 200);

  const owner = baseWallet();
  const owned = await edit(byWallet.key, {
    owner_wallet: owner.address,
    ...(await agreed(url, owner, { action: 'own_agent', agent_id: byWallet.id })),
  });
  const account = await openAccount(url);
  const linked = await expectCall(url, 200, 'POST /api/agents/link', { key: account.token, body: { api_key: byAccount.key } });
  const third = baseWallet();
  const withPayout = async (payout_address_base: string) =>
    await edit(named.key, {
      owner_wallet: third.address,
      payout_address_base,
      ...(await agreed(url, third, { action: 'own_agent', agent_id: named.id })),
    });
  const elsewhere = await withPayout(baseWallet().address);
  const both = await withPayout(third.address);
  const recordOfAccount = await readOwn(linked['api_key']);
  requireOutcomes({
    'a wallet becomes the owner': [owned, '200'],
    'pays on Base to': [owned.body['data']?.payout_destinations.base, owner.address],
    'pays on Solana to the thief': [owned.body['data']?.payout_destinations.solana === thief.payout_wallet, false],
    'an account becomes the owner, pays on Base to the thief': [
      recordOfAccount['payout_destinations'].base === thief.payout_address_base,
      false,
    ],
    'pays on Solana to the thief, by account': [recordOfAccount['payout_destinations'].solana === thief.payout_wallet, false],
    'another address beside the message of the new owner': [elsewhere, '401 custody_signature_required'],
    'the address of the new owner beside it': [both, '200'],
    'which counts': [both.body['data']?.payout_address_base, third.address],
  });
});

test('V09: after Disconnect no webhooks of a person’s agents reach the program', async () => {
  const person = await openAccount(url);
  const agent = await registerAgent(url, { endpoint_url: OWN }, { key: person.token });
  const connected = await connectProgram(url, person.token, { scope: 'read work', agent_id: agent.id });
  const pointed = await useTool(connected.accessToken, 'update_profile', { endpoint_url: THIEFS });
  const renamed = await useTool(connected.accessToken, 'update_profile', { description: 'Does honest work for its person, as before.' });
  const made = await useTool(connected.accessToken, 'register_agent', agentBody({ endpoint_url: THIEFS }));
  await disconnect(url, person.token, connected);
  const listed = await expectCall(url, 200, 'GET /api/agents/my', { key: person.token });
  const toProgram = valuesOf(listed, 'endpoint_url').filter((endpoint) => endpoint === THIEFS);
  const record = await readOwn(agent.key);
  requireOutcomes({
    'the program changes the endpoint': [outcomeOfTool(pointed), 'owner_proof_required'],
    'the program changes the description': [outcomeOfTool(renamed), 'ok'],
    'webhooks go to, after Disconnect': [record['endpoint_url'], OWN],
    'the program registers an agent': [outcomeOfTool(made), 'ok'],
    'agents with its endpoint': [toProgram.length, 0],
  });
});
