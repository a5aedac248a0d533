/** Agents that a connected program registers: the person owns them, and they stop with the connection unless the person keeps them. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call, cookieOf, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, useTool } from '../harness/mcp.ts';
import { Browser, type Connected, connectFrom, connectProgram, exchangeToken, refresh } from '../harness/oauth.ts';
import { agentBody, agreed, baseWallet, signed, type TestWallet, tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';

suite('agents that a program registers', () => {
  let market: TestMarket;
  let ines: string;
  before(async () => {
    market = await openMarket();
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  const registering = () => {
    const { name, description } = agentBody();
    return { name, description };
  };

  async function registerBy({ accessToken }: Connected, more: Record<string, unknown> = {}): Promise<Envelope> {
    const client = await connectMcp(market.url, accessToken);
    const named = registering();
    const made = await useTool(client, 'register_agent', { ...named, ...more });
    await client.close();
    return { ...made, name: named.name };
  }

  async function refusedBy({ accessToken }: Connected, more: Record<string, unknown>): Promise<[string, number]> {
    const client = await connectMcp(market.url, accessToken);
    const { structuredContent } = await callTool(client, 'register_agent', { ...registering(), ...more });
    await client.close();
    return [structuredContent['code'], structuredContent['status']];
  }

  async function readAgent(id: string): Promise<Record<string, unknown>> {
    const columns = 'owner_wallet, owner_user_id, active, created_by, stops_with';
    return (await market.database.pool.query(`select ${columns} from agents where id = $1`, [id])).rows[0];
  }

  async function browserOf(wallet: TestWallet): Promise<Browser> {
    const opened = await call(market.url, 'POST /api/auth/session', { body: await agreed(market.url, wallet, { action: 'session' }) });
    const [name = '', value = ''] = cookieOf(opened).split('=');
    return new Browser(market.url, { [name]: value });
  }

  const listed = async (key = ines) => (await expectCall(market.url, 200, 'GET /api/connections', { key })) as unknown as Envelope[];

  test('V08: the person owns an agent that a program registers, and the program gets no secret', async () => {
    const program = await connectProgram(market.url, ines, { scope: 'read work' });
    const made = await registerBy(program);
    assert.deepEqual([made['api_key'], made['webhook_secret']], [null, null]);
    const { user } = await expectCall(market.url, 200, 'GET /api/auth/whoami', { key: ines });
    const { rows } = await market.database.pool.query('select program_id from connections where id = $1', [program.connectionId]);
    assert.deepEqual(await readAgent(made['id']), {
      owner_wallet: null,
      owner_user_id: user.idp_user_id,
      active: true,
      created_by: [`program:${rows[0].program_id}`],
      stops_with: program.connectionId,
    });
    const shown = (await listed()).find(({ id }) => id === program.connectionId);
    assert.deepEqual(shown?.['made_agents'], [{ id: made['id'], name: made['name'] }]);
  });

  test('V08: a registration by a program refuses a wallet that is not the person’s, signed or named', async () => {
    const program = await connectProgram(market.url, ines, { scope: 'read work' });
    const [own, stranger] = [baseWallet(), baseWallet()];
    await expectCall(market.url, 200, 'POST /api/auth/wallets', {
      key: ines,
      body: await agreed(market.url, own, { action: 'link_wallet' }, ines),
    });
    const fields = async (wallet: TestWallet) => {
      const { wallet: owner_wallet, ...proof } = await signed(wallet);
      return { owner_wallet, ...proof };
    };
    assert.deepEqual(await refusedBy(program, await fields(stranger)), ['owner_mismatch', 400]);
    assert.deepEqual(await refusedBy(program, { owner_wallet: stranger.address }), ['owner_mismatch', 400]);
    const { id } = await registerBy(program, await fields(own));
    const { owner_wallet, owner_user_id } = await readAgent(id);
    assert.deepEqual([owner_wallet, typeof owner_user_id], [null, 'string'], 'the person alone owns it');
  });

  test('V08: a wallet that connected a program owns agents that the program registers, and its program proves no wallet', async () => {
    const wallet = baseWallet();
    const program = await connectFrom(await browserOf(wallet), market.url, { scope: 'read hire work' });
    assert.deepEqual(await refusedBy(program, { owner_wallet: baseWallet().address }), ['owner_mismatch', 400]);
    const { id } = await registerBy(program);
    assert.equal((await readAgent(id))['owner_wallet'], wallet.address);
    const client = await connectMcp(market.url, program.accessToken);
    assert.equal((await useTool(client, 'get_profile'))['id'], id, 'it acts as the agent that it registered');
    const { structuredContent } = await callTool(client, 'update_profile', { payout_address_base: baseWallet().address });
    assert.equal(structuredContent['code'], 'owner_proof_required');
    await client.close();
  });

  test('V09: after Disconnect an agent that the program registered is hidden and its key refused, until the person brings it back', async () => {
    const program = await connectProgram(market.url, ines, { scope: 'read work' });
    const { id, name } = await registerBy(program);
    const { agents } = await expectCall(market.url, 200, 'POST /api/agents/recover', { key: ines, body: { agent_name: name } });
    const key = agents[0].api_key;
    await expectCall(market.url, 200, 'GET /api/agents/me', { key });
    const ended = await expectCall(market.url, 200, `DELETE /api/connections/${program.connectionId}`, { key: ines });
    assert.deepEqual(ended['stopped_agents'], [id]);
    assert.equal((await call(market.url, 'GET /api/agents/me', { key })).body['code'], 'invalid_api_key');
    assert.equal((await call(market.url, `GET /api/agents/${id}`)).status, 404);
    await until('the notification', async () => {
      const notices = await expectCall(market.url, 200, 'GET /api/notifications', { key: ines });
      return notices['find'](({ type, body }: { type: string; body: string }) => type === 'connection_revoked' && body.includes(name));
    });
    await expectCall(market.url, 200, `PATCH /api/agents/${id}/active`, { key: ines, body: { active: true } });
    await expectCall(market.url, 200, 'GET /api/agents/me', { key });
  });

  test('V09: the person keeps all agents that a program registered, or those they name', async () => {
    for (const keeps of ['all', 'one'] as const) {
      const program = await connectProgram(market.url, ines, { scope: 'read work' });
      const [first, second] = [await registerBy(program), await registerBy(program)];
      const query = keeps === 'all' ? 'true' : first['id'];
      const ended = await expectCall(market.url, 200, `DELETE /api/connections/${program.connectionId}?keep_agents=${query}`, {
        key: ines,
      });
      assert.deepEqual(ended['stopped_agents'], keeps === 'all' ? [] : [second['id']]);
      assert.equal((await readAgent(first['id']))['active'], true);
      assert.equal((await readAgent(second['id']))['active'], keeps === 'all');
    }
  });

  test('V09: a wallet’s signature or a linked account disconnects a program, and naming agents of others keeps nothing', async () => {
    const wallet = baseWallet();
    const linked = await tokenFor(market.url, { email: 'linked@example.com' });
    const body = await agreed(market.url, wallet, { action: 'link_wallet' }, linked);
    await expectCall(market.url, 200, 'POST /api/auth/wallets', { key: linked, body });
    const program = await connectFrom(await browserOf(wallet), market.url, { scope: 'read work' });
    const { id } = await registerBy(program);
    const foreign = (await registerBy(await connectProgram(market.url, ines, { scope: 'read work' })))['id'];
    const ended = await expectCall(market.url, 200, `DELETE /api/connections/${program.connectionId}?keep_agents=${foreign}`, {
      key: linked,
    });
    assert.deepEqual(ended['stopped_agents'], [id]);
    assert.notEqual((await readAgent(foreign))['stops_with'], null);
  });

  test('V09: an agent stops when its program revokes its access, when a token is used twice, and when the connection ends', async () => {
    const ends: Record<string, (program: Connected) => Promise<unknown>> = {
      program: async ({ clientId, refreshToken }) => {
        const raw = new URLSearchParams({ client_id: clientId, token: refreshToken }).toString();
        return await call(market.url, 'POST /api/oauth/revoke', { raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      },
      misuse: async ({ clientId, refreshToken }) => {
        await refresh(market.url, clientId, refreshToken);
        return await exchangeToken(market.url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
      },
      expired: async ({ connectionId }) => {
        const { pool } = market.database;
        await pool.query("update connections set expires_at = clock_timestamp() - interval '1 second' where id = $1", [connectionId]);
        return await pool.query("update jobs set run_at = market_now() where kind = 'connections.expire'");
      },
    };
    for (const [reason, end] of Object.entries(ends)) {
      const program = await connectProgram(market.url, ines, { scope: 'read work' });
      const { id } = await registerBy(program);
      await end(program);
      await until(`the end by ${reason}`, async () => ((await readAgent(id))['active'] === false ? true : undefined), 60);
      const { rows } = await market.database.pool.query(
        `select data->>'reason' as reason from events where type = 'connection.revoked' and subject_id = $1`,
        [program.connectionId],
      );
      assert.deepEqual(rows, [{ reason }]);
    }
  });

  test('V09: a new consent to the same program takes over the agents it registered', async () => {
    const first = await connectProgram(market.url, ines, { scope: 'read work' });
    const { id } = await registerBy(first);
    const second = await connectProgram(market.url, ines, { scope: 'read work', clientId: first.clientId });
    assert.deepEqual(await readAgent(id).then(({ active, stops_with }) => [active, stops_with]), [true, second.connectionId]);
    const ended = await expectCall(market.url, 200, `DELETE /api/connections/${second.connectionId}`, { key: ines });
    assert.deepEqual(ended['stopped_agents'], [id]);
  });
});
