/** Token launch and identity mint: permissions, the order of checks, and the result on chain. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createSolanaRpc, address as solanaAddress } from '@solana/kit';
import { png, readFile, upload } from '../harness/files.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';
import { makeViewsWritable } from '../harness/writable-views.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { launchCorruptions } from '../tokens/launches/corruptions.ts';
import {
  freshSymbol,
  giveSol,
  type LaunchAgent,
  launch,
  mintSaid,
  openLaunchAgent,
  openPictures,
  type Pictures,
} from '../tokens/launches/stage.ts';

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

suite('token launch', () => {
  let market: TestMarket;
  let pictures: Pictures;
  before(async () => {
    pictures = await openPictures();
    market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  });
  after(async () => {
    await market.close();
    pictures.close();
  });

  const withPicture = () => ({ avatar_url: `${pictures.url}/good.png` });
  const open = (body: Record<string, unknown> = withPicture(), person?: Record<string, unknown>) =>
    openLaunchAgent(market.url, body, person);
  const read = (agent: LaunchAgent) => expectCall(market.url, 200, `GET /api/agents/${agent.id}/token`, { key: agent.key });
  const set = (agent: LaunchAgent, change: string) => market.database.pool.query(`update agents set ${change} where id = $1`, [agent.id]);
  const refused = async (agent: LaunchAgent, status: number, code: string, body: Record<string, unknown> = { symbol: freshSymbol() }) => {
    const reply = await launch(market.url, agent, body);
    assert.deepEqual([reply.status, reply.body['code']], [status, code], JSON.stringify(reply.body));
    return reply.body;
  };
  const balanceOf = async ({ wallet }: LaunchAgent) => {
    const chain = market.chains.get('solana-mainnet');
    assert.ok(chain);
    return (await chain.readBalances(wallet)).native;
  };
  const nodeUrl = () => {
    const url = market.localChains?.networks.find(({ network }) => network === 'solana-mainnet')?.rpcUrl;
    assert.ok(url);
    return url;
  };
  const readMint = async (mint: string) => {
    const rpc = createSolanaRpc(nodeUrl());
    const { value } = await rpc.getAccountInfo(solanaAddress(mint), { encoding: 'base64' }).send();
    assert.ok(value, 'there is a mint');
    const supply = (await rpc.getTokenSupply(solanaAddress(mint)).send()).value;
    return { owner: String(value.owner), supply, ...readExtensions(Buffer.from(value.data[0], 'base64')) };
  };

  test('a picture that the owner uploaded serves a launch by the agent’s key, as image_url and as avatar', async () => {
    const [named, shown] = [await open({}), await open({})];
    for (const agent of [named, shown]) {
      await giveSol(market, agent);
      const sent = await upload(market.url, agent.token, { content: png(8, 8), name: 'coin.png' });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      const { url } = sent.body['data'];
      assert.equal((await readFile(url)).status, 401);
      if (agent === shown)
        await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { key: agent.token, body: { avatar_url: url } });
      const reply = await launch(market.url, agent, {
        symbol: agent === named ? 'OWNA' : 'OWNB',
        ...(agent === named && { image_url: url }),
      });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await readFile(url)).status, 200, 'wallets and explorers load it');
    }
    // An earlier version accepted an avatar without asking for permission to use the file.
    const careless = await open({});
    await giveSol(market, careless);
    const secret = (await upload(market.url, shown.token, { content: png(8, 8), name: 'secret.png' })).body['data'].url;
    await set(careless, `avatar_url = '${secret}'`);
    const minted = await mintSaid(market.url, careless);
    assert.equal(minted.status, 200, JSON.stringify(minted.body));
    assert.equal((await readFile(secret)).status, 401, 'a mint publishes no file of somebody else');
    const other = await open();
    const foreign = await upload(market.url, other.token, { content: png(8, 8), name: 'coin.png' });
    const third = await open();
    await giveSol(market, third);
    await refused(third, 400, 'foreign_upload', { symbol: 'NEWX', image_url: foreign.body['data'].url });
  });

  test('E09: a funded agent launches: mint, metadata and supply are on chain, the cost is in the log, a second launch is 409', async () => {
    const agent = await open();
    await giveSol(market, agent);
    const [before, funding] = [
      await balanceOf(agent),
      await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key }),
    ];
    const reply = await launch(market.url, agent, { symbol: 'AGX', description: 'A token of an agent that does honest work.' });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { mint, tx_signature: reference, creator_wallet: creator, note } = reply.body['data'];
    assert.equal(creator, agent.wallet);
    assert.ok(note.length > 10);

    const onChain = await readMint(mint);
    assert.equal(onChain.owner, TOKEN_2022);
    assert.equal(onChain.mintAuthority, null, 'nobody can mint more');
    assert.deepEqual([onChain.supply.uiAmountString, onChain.supply.decimals], ['1000000000', 6]);
    assert.equal(onChain.metadata?.symbol, 'AGX');
    assert.match(onChain.metadata?.name ?? '', new RegExp(`^${agent.name} by \\w+$`));
    assert.ok((onChain.metadata?.name.length ?? 0) <= 32);

    const uri = onChain.metadata?.uri ?? '';
    assert.ok(uri.startsWith(market.url), uri);
    const document = (await (await fetch(uri)).json()) as Envelope;
    assert.deepEqual(
      [document['name'], document['symbol'], document['description']],
      [onChain.metadata?.name, 'AGX', 'A token of an agent that does honest work.'],
    );
    assert.ok(String(document['image']).startsWith(`${market.url}/files/upl_`), 'our copy of the picture');

    const token = await until('the token on record', async () => {
      const shown = await read(agent);
      return shown['token_mint'] === null ? undefined : shown;
    });
    assert.deepEqual(
      [
        'token_mint',
        'token_symbol',
        'token_named_by',
        'token_image_url',
        'token_mode',
        'token_creator_wallet',
        'token_tx_hash',
        'token_launch_attempted',
      ].map((field) => token[field]),
      [mint, 'AGX', 'mint', document['image'], 'partner', agent.wallet, reference, 1],
    );
    assert.equal(token['token_name'], onChain.metadata?.name);

    const paid = before - (await balanceOf(agent));
    const [entry] = (await expectCall(market.url, 200, `GET /api/agents/${agent.id}/wallet/log`, { key: agent.key })) as Envelope[];
    assert.deepEqual([entry?.['action'], entry?.['by'], entry?.['address']], ['token_launch', 'agent_key', mint]);
    assert.deepEqual([entry?.['movement'].status, entry?.['movement'].tx_hash], ['confirmed', reference]);
    assert.equal(Number(entry?.['movement'].amount), Number(paid) / 1e9, 'the log shows what left the wallet');
    assert.ok(Number(paid) / 1e9 <= funding['requirements'].launch.cost_sol, 'never more than the funding record says');

    const { events } = await expectCall(market.url, 200, 'GET /api/metrics/activity?filter=token_launch');
    assert.ok(events.some((event: Envelope) => event['action'] === 'token_launched' && event['agent_id'] === agent.id));
    await until('the owner’s notification', async () => {
      const list = (await expectCall(market.url, 200, 'GET /api/notifications', { key: agent.token })) as Envelope;
      return JSON.stringify(list).includes(mint) ? true : undefined;
    });

    const again = await refused(agent, 409, 'token_already_set');
    assert.equal(again['data'].token_mint, mint);
    assert.equal(await balanceOf(agent), before - paid);
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  test('F03: an underfunded launch is 402 with the figures of the funding record, and nothing moves', async () => {
    const agent = await open();
    await giveSol(market, agent, 2_000_000n);
    const funding = await expectCall(market.url, 200, `GET /api/agents/${agent.id}/funding`, { key: agent.key });
    const body = await refused(agent, 402, 'agent_wallet_underfunded');
    const { how_to_fund: how, ...data } = body['data'];
    assert.deepEqual(data, {
      action: 'token_launch',
      ...funding['requirements'].launch,
      balance_sol: 0.002,
      deposit_address: agent.wallet,
    });
    assert.match(how, new RegExp(agent.wallet));
    const said = await mintSaid(market.url, agent);
    assert.deepEqual([said.status, said.body['code'], said.body['data'].action], [402, 'agent_wallet_underfunded', 'said_identity']);
    assert.equal(said.body['data'].required_sol, funding['requirements'].said.required_sol);
    assert.equal(await balanceOf(agent), 2_000_000n);
    assert.equal((await read(agent))['token_launch_attempted'], 0);
    assert.deepEqual(await expectCall(market.url, 200, `GET /api/agents/${agent.id}/wallet/log`, { key: agent.key }), []);
  });

  test('P03: a launch makes its checks in the order of the contract', async () => {
    const stranger = await open();
    const agent = await open({}, {});
    const asStranger = await call(market.url, `POST /api/agents/${agent.id}/token/launch`, { key: stranger.key, body: { symbol: 'A' } });
    assert.equal(asStranger.status, 403);
    const unknown = 'POST /api/agents/ext_1700000000000_zzzzzzzzz/token/launch';
    assert.equal((await call(market.url, unknown, { key: agent.key, body: { symbol: 'A' } })).status, 404);
    assert.equal((await call(market.url, `POST /api/agents/${agent.id}/token/launch`, { body: { symbol: 'A' } })).status, 401);
    // From here on each refusal hides those after it; the malformed symbol shows that 400 comes last.
    const malformed = { symbol: '$%&', description: 'short' };
    await set(agent, `moderation_status = 'spam', token_launch_attempted_at = now()`);
    await refused(agent, 403, 'x_account_required', malformed);
    await set(agent, `twitter_username = 'linked'`);
    await refused(agent, 403, 'token_agent_hidden', malformed);
    await set(agent, `moderation_status = 'review'`);
    await refused(agent, 409, 'token_launch_in_progress', malformed);
    await set(agent, 'token_launch_attempted_at = null');
    await refused(agent, 400, 'token_image_required', malformed);
    const image_url = `${pictures.url}/missing.png`;
    await refused(agent, 400, 'invalid_input', { ...malformed, image_url });
    await refused(agent, 400, 'invalid_input', { symbol: 'NEWX', description: 'short', image_url });
    await refused(agent, 400, 'invalid_input', { symbol: 'ELEVENCHARS', image_url });
    await refused(agent, 402, 'agent_wallet_underfunded', { symbol: 'NEWX', image_url });
    await giveSol(market, agent);
    const balance = await balanceOf(agent);
    await refused(agent, 502, 'token_image_unreachable', { symbol: 'NEWX', image_url });
    await refused(agent, 502, 'token_image_unreachable', { symbol: 'NEWX', image_url: `${pictures.url}/moved.png` });
    await refused(agent, 400, 'token_image_invalid', { symbol: 'NEWX', image_url: `${pictures.url}/page.html` });
    await refused(agent, 400, 'token_image_invalid', { symbol: 'NEWX', image_url: `${pictures.url}/large.png` });
    assert.equal(await balanceOf(agent), balance);
    assert.equal((await read(agent))['token_launch_attempted'], 0);
  });

  test('P05: a launch refuses reserved words in the symbol and a short description of the agent', async () => {
    const agent = await open();
    const { body } = await call(market.url, 'GET /.well-known/agent-card.json');
    await refused(agent, 400, 'token_name_reserved', { symbol: String(body['name']).slice(0, 10) });
    await set(agent, `description = 'short'`);
    await refused(agent, 400, 'token_description_short');
  });

  test('a launch accepts the present X handle of the owner’s account, and names the owner in the log', async () => {
    const agent = await open();
    await giveSol(market, agent);
    await set(agent, 'twitter_username = null');
    await refused(agent, 403, 'x_account_required');
    const reply = await call(market.url, `POST /api/agents/${agent.id}/token/launch`, { key: agent.token, body: { symbol: 'OWN' } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const [entry] = (await expectCall(market.url, 200, `GET /api/agents/${agent.id}/wallet/log`, { key: agent.key })) as Envelope[];
    assert.equal(entry?.['by'], 'owner_account');
  });

  test('R13, P06: ten launches at once make one mint', async () => {
    const agent = await open();
    await giveSol(market, agent, 100_000_000n);
    const before = await balanceOf(agent);
    const replies = await Promise.all(Array.from({ length: 10 }, (_, place) => launch(market.url, agent, { symbol: `T${place}` })));
    const statuses = replies.map(({ status }) => status).sort();
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
    assert.ok(
      statuses.every((status) => status === 200 || status === 409),
      JSON.stringify(replies.map(({ body }) => body)),
    );
    await until('the token on record', async () => ((await read(agent))['token_mint'] === null ? undefined : true));
    assert.ok(before - (await balanceOf(agent)) < 10_000_000n, 'paid once');
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  test('an operator cannot release the lock of a launch that is under way', async () => {
    const agent = await open();
    const admin = { key: await tokenFor(market.url, { email: 'boss@example.com', admin: true }) };
    await set(agent, 'token_launch_attempted_at = now()');
    await makeViewsWritable(market.database.pool);
    await market.database.pool.query(
      `with moved as (insert into wallet_movements (id, agent_id, purpose, network, wallet, destination, asset, amount, state)
         values ('mov_stuck', $1, 'token_launch', 'solana-mainnet', $2, 'SomeMint', 'native', 1, 'failed') returning id)
       insert into agent_mints (movement_id, agent_id, kind, mint, sealed_key, name, symbol, uri, description)
       select id, $1, 'token_launch', 'SomeMint', '', 'n', 's', 'u', 'd' from moved`,
      [agent.id, agent.wallet],
    );
    const release = () => call(market.url, `POST /api/admin/agents/${agent.id}/clear-token-launch`, admin);
    assert.equal((await release()).body['code'], 'token_launch_in_progress');
    await market.database.pool.query('delete from agent_mints where movement_id = $1', ['mov_stuck']);
    await market.database.pool.query('delete from wallet_movements where id = $1', ['mov_stuck']);
    assert.equal((await release()).status, 200);
  });

  test('E12: an identity mint makes one non-transferable token, fields on the record and a card; the second one is 409', async () => {
    const agent = await open();
    await giveSol(market, agent);
    const reply = await mintSaid(market.url, agent);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { said_wallet: wallet, said_pda: mint, tx_signature: reference } = reply.body['data'];
    assert.equal(wallet, agent.wallet);
    const onChain = await readMint(mint);
    assert.deepEqual([onChain.owner, onChain.mintAuthority, onChain.nonTransferable], [TOKEN_2022, null, true]);
    assert.deepEqual([onChain.supply.amount, onChain.supply.decimals], ['1', 0]);
    assert.equal(onChain.metadata?.name, agent.name);
    await until('the identity on record', async () => {
      const { agent: shown } = await expectCall(market.url, 200, `GET /api/agents/${agent.id}`);
      return shown.said_wallet === wallet ? true : undefined;
    });
    const again = await mintSaid(market.url, agent);
    assert.deepEqual([again.status, again.body['code'], again.body['data'].said_wallet], [409, 'said_exists', wallet]);
    const [entry] = (await expectCall(market.url, 200, `GET /api/agents/${agent.id}/wallet/log`, { key: agent.key })) as Envelope[];
    assert.deepEqual([entry?.['action'], entry?.['movement'].tx_hash], ['said_identity', reference]);

    const card = (await (await fetch(onChain.metadata?.uri ?? '')).json()) as Envelope;
    assert.deepEqual(
      ['name', 'wallet', 'twitter', 'serviceTypes', 'verified'].map((field) => card[field]),
      [agent.name, wallet, card['twitter'], ['WEB'], true],
    );
    assert.equal((await call(market.url, 'GET /api/said/card/platform')).status, 200);
    assert.equal((await call(market.url, 'GET /api/said/card/nobody-here')).status, 404);
    assert.deepEqual((await findBroken(market.database)).broken, []);
  });

  for (const { what, breaks, sql } of launchCorruptions) {
    test(`the audit of launches reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(market.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});

/** Reads the extensions of a Token-2022 mint byte by byte. */
function readExtensions(data: Buffer) {
  const kinds = new Map<number, Buffer>();
  for (let at = 166; at + 4 <= data.length; ) {
    const [kind, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    if (kind === 0) break;
    kinds.set(kind, data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const metadata = kinds.get(19);
  let at = 64;
  const next = (): string => {
    const length = metadata?.readUInt32LE(at) ?? 0;
    at += 4 + length;
    return metadata?.subarray(at - length, at).toString() ?? '';
  };
  return {
    mintAuthority: data.readUInt32LE(0) === 0 ? null : data.subarray(4, 36).toString('hex'),
    nonTransferable: kinds.has(9),
    metadata: metadata && { name: next(), symbol: next(), uri: next() },
  };
}
