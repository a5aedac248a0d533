/** A closed agent has no owner. A call that waited for the closing must not give it one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../../harness/agents.ts';
import { openAccount, requireOutcomes } from '../../harness/authority.ts';
import { call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { baseWallet, linkWallet, signed, signedFor } from '../../harness/people.ts';
import { until } from '../../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withChains);
});
after(() => market.close());

const waiters = async () => {
  const { rows } = await market.database.pool.query(
    `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows[0].n as number;
};

/** An agent of a wallet, whose key leaked; and a thief with an account and a wallet linked to it since yesterday. */
async function openVictim() {
  const { url } = market;
  const owner = baseWallet();
  const { wallet, ...proof } = await signed(owner);
  const agent = await registerAgent(url, { owner_wallet: wallet, ...proof });
  const path = `/api/agents/${agent.id}/close` as const;
  const close = async () => call(url, `POST ${path}`, { body: await signedFor(url, owner, { method: 'POST', path, body: {} }) });
  const tool = baseWallet();
  const thief = await openAccount(url);
  await linkWallet(url, thief.token, tool);
  await market.database.pool.query(
    `update user_wallets set confirmed_at = confirmed_at - interval '25 hours', linked_at = linked_at - interval '25 hours' where user_id = $1`,
    [thief.id],
  );
  const link = () => call(url, 'POST /api/agents/link', { key: thief.token, body: { api_key: agent.key } });
  const exportPath = `/api/agents/${agent.id}/export-key` as const;
  const exportKey = async () => {
    const body = { chain: 'base' };
    const proof = await signedFor(url, tool, { method: 'POST', path: exportPath, body });
    return await call(url, `POST ${exportPath}`, { key: thief.token, body: { ...body, ...proof } });
  };
  const readRow = async () => {
    const { rows } = await market.database.pool.query('select owner_user_id, closed_at, active from agents where id = $1', [agent.id]);
    return rows[0];
  };
  return { agent, thief, close, link, exportKey, readRow };
}

test('V07: a leaked key does not make a stranger owner of an agent that is being closed', async () => {
  const { agent, thief, close, link, exportKey, readRow } = await openVictim();
  const before = await link();
  // Holds the row, so that both calls queue behind it in this order, as behind a long closing.
  const holder = await market.database.pool.connect();
  await holder.query('begin');
  await holder.query('select id from agents where id = $1 for update', [agent.id]);
  const closing = close();
  await until('the closing waits', async () => ((await waiters()) >= 1 ? true : undefined));
  const linking = link();
  await until('the thief waits', async () => ((await waiters()) >= 2 ? true : undefined));
  await holder.query('commit');
  holder.release();
  const [closed, linked] = await Promise.all([closing, linking]);
  const row = await readRow();
  const exported = await exportKey();
  const active = await call(market.url, `PATCH /api/agents/${agent.id}/active`, { key: thief.token, body: { active: true } });
  assert.equal(closed.body['data']?.status, 'closed');
  requireOutcomes({
    'before the closing': [before, '401 sign_in_message_required'],
    'at the closing': [linked, '401 invalid_api_key'],
    'owner of the closed agent': [row.owner_user_id, null],
    'the private key of its wallet': [exported.body['data']?.private_key ?? null, null],
    'activating it': [active, '403 forbidden'],
  });
});

test('V07: a thief who calls several times a second with a leaked key does not become owner while the owner closes', async () => {
  let stolen = 0;
  const ROUNDS = 12;
  for (let round = 0; round < ROUNDS; round++) {
    const { close, link, readRow } = await openVictim();
    const replies: Promise<unknown>[] = [];
    const timer = setInterval(() => replies.push(link()), 250);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
    const closed = await close();
    clearInterval(timer);
    await Promise.all(replies);
    assert.equal(closed.body['data']?.status, 'closed', JSON.stringify(closed.body));
    if ((await readRow()).owner_user_id !== null) stolen += 1;
    else assert.equal((await link()).body['code'], 'invalid_api_key', 'after the closing the old key is nothing');
  }
  requireOutcomes({ 'closed agents that the thief owns': [stolen, 0] });
});
