/** A link moves nothing: neither the account nor a program it connects takes money of a linked wallet's agent out of Earn. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDepositor } from '../../earn/depositors.ts';
import { deposited, LEND, openSigner } from '../../earn/stage.ts';
import { CUSTODY_ONLY, openAccount, outcomeOfTool, requireOutcomes } from '../../harness/authority.ts';
import { call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { callTool, connectMcp } from '../../harness/mcp.ts';
import { connectProgram } from '../../harness/oauth.ts';
import { walletOf } from '../../harness/orders.ts';
import { linkWallet } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

test('V03, V24: a program of a linked account withdraws nothing of an agent that the linked wallet owns', async () => {
  await deposited(market, await openSigner(market), 150);
  const victim = await openDepositor(market, url, 'agent');
  await deposited(market, victim, 50);
  const { key } = await victim.credentials();
  const { id } = await expectCall(url, 200, 'GET /api/agents/me', key === undefined ? {} : { key });
  // The wallet signed the link, tricked or in trust. Its message promises that the account cannot move the wallet's money.
  const thief = await openAccount(url);
  await linkWallet(url, thief.token, walletOf(victim.payer));
  const body = { all: true, key: LEND };
  const alone = await call(url, 'POST /api/earn/pool/withdraw', { key: thief.token, body: { ...body, agent_id: id } });
  const { accessToken } = await connectProgram(url, thief.token, { scope: 'read money', scopes: ['read', 'money'], agent_id: id });
  const client = await connectMcp(url, accessToken);
  const byProgram = await callTool(client, 'earn_withdraw', { ...body, slippage_bps: 1000 });
  await client.close();
  const { rows } = await market.database.pool.query('select 1 from earn_withdrawals where owner_id = $1', [id]);
  assert.ok(rows.length <= 1);
  requireOutcomes({
    'the linked account alone': [alone, ...CUSTODY_ONLY],
    'its program': [outcomeOfTool(byProgram), 'owner_proof_required', 'forbidden', 'insufficient_scope'],
    'withdrawals of the agent': [rows.length, 0],
  });
});
