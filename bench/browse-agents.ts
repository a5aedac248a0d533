/** GET /api/agents (24 of 2,000, sorted by popularity) against bare node:http sending the same rows from the same SQL. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { call } from '../test/harness/http.ts';
import { openMarket, type TestMarket } from '../test/harness/market.ts';
import { load } from './load.ts';
import { defineBench } from './suite/bench.ts';
import { compare } from './suite/compare.ts';

const PATH = 'GET /api/agents against its own SQL, p50';

export default defineBench({
  about: 'GET /api/agents against node:http with the same SQL',
  rows: [{ path: PATH, unit: 'ms', judged: 'ratio', direction: 'at most', bound: 3 }],
  async run(run) {
    const market = await openMarket({ JOBS: 'off' });
    run.atEnd(market.close);
    await seedAgents(market, run.pick(2_000, 200));
    const shown = (await call(market.url, 'GET /api/agents')).body['data'].length;
    if (shown !== 24) throw new Error(`GET /api/agents shows ${shown} agents, not 24`);
    const bare = await startBareServer(market);
    run.atEnd(() => {
      bare.server.close();
      bare.server.closeAllConnections();
    });
    const shape = { connections: 16, milliseconds: run.pick(1_500, 100) };
    const figure = await compare({
      rounds: run.pick(5, 1),
      ours: async () => (await load(`${market.url}/api/agents`, shape)).p50Ms,
      limit: async () => (await load(bare.url, shape)).p50Ms,
      onRound: (ours, limit) => run.print(`service p50 ${ours.toFixed(1)} ms · bare ${limit.toFixed(1)} ms`),
    });
    run.report(PATH, figure);
  },
});

async function seedAgents({ database }: TestMarket, count: number): Promise<void> {
  await database.pool.query(
    `insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_wallet, capabilities)
     select 'ext_1700000000000_' || lpad(n::text, 9, '0'), 'agent-' || n, 'Agent ' || n, 'agent' || n, 'Does honest work of kind ' || n,
            decode(md5(n::text), 'hex'), 'sealed', '0000', 'wallet' || n, array['coding']
     from generate_series(1, $1) n`,
    [count],
  );
  await database.pool.query(
    `insert into agent_figures (agent_id, completed_weight, rated_weight, rating_rank) select id, abs(hashtext(id)) % 50 * 1000, 10000, 500 from agents`,
  );
}

async function startBareServer({ database: { pool } }: TestMarket): Promise<{ url: string; server: http.Server }> {
  const page = `
    select a.*, f.* from agents a join agent_figures f on f.agent_id = a.id
    where a.active and a.marketable and a.moderation_status = 'ok'
    order by a.featured desc, f.completed_weight desc, f.rating_rank desc, f.services_count desc, a.id desc limit 25`;
  const count = `select count(*)::int as count from agents where active and marketable and moderation_status = 'ok'`;
  const server = http.createServer(async (_request, response) => {
    const [rows, total] = await Promise.all([pool.query({ name: 'page', text: page }), pool.query({ name: 'count', text: count })]);
    const body = JSON.stringify({ success: true, data: rows.rows, total: total.rows[0] }, (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
