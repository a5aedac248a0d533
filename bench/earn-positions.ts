/** The positions of one caller among 100,000 depositors and among 100, side by side: the number of depositors must not slow the read. */
import { registerAgent, type TestAgent } from '../test/harness/agents.ts';
import { call } from '../test/harness/http.ts';
import { median } from './load.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { drive, requestOf } from './suite/drive.ts';
import type { Stage } from './suite/stage.ts';

const PATH = 'growth: GET /api/earn/pool/positions, p99';
const CALLERS = 4;
const MOST_GROWTH = 1.5;
/** Small enough for the stage that smoke mode shares. */
const SMALLEST = 100;

interface Market {
  readonly stage: Stage;
  readonly requests: readonly Buffer[];
  readonly p99: number[];
}

export default defineBench({
  about: 'positions of one caller among 100 depositors and among 100,000',
  rows: [{ path: PATH, unit: 'ms', judged: 'ratio', direction: 'at most', bound: MOST_GROWTH }],
  async run(run) {
    const markets = [await openMarket(run, SMALLEST), await openMarket(run, run.pick(100_000, 1_000))] as const;
    const [small, large] = markets;
    // The first block warms the caches and does not count. Both sizes alternate, so that other load on the machine hits them alike.
    for (let block = run.pick(-1, 0); block < run.pick(9, 1); block++) {
      for (const { stage, requests, p99 } of markets) {
        const options = { url: stage.url, callers: CALLERS, milliseconds: run.pick(3_000, 20) };
        const { p99Ms } = await drive({ ...options, next: (number) => requests[number % requests.length] });
        if (block >= 0) p99.push(p99Ms);
      }
      run.print(`positions: ${markets.map(({ p99 }) => `${p99.at(-1)?.toFixed(1)} ms`).join(' · ')}`);
    }
    run.report(PATH, {
      ours: median(large.p99),
      limit: median(small.p99),
      ratio: median(large.p99.map((ms, n) => ms / (small.p99[n] ?? ms))),
    });
  },
});

async function openMarket(run: BenchRun, size: number): Promise<Market> {
  const stage = await run.stage(run.smoke && size === SMALLEST ? { chains: true } : { chains: true, name: `earn ${size}` });
  const startedAt = performance.now();
  const agents = await Promise.all(Array.from({ length: run.pick(20, 2) }, () => registerAgent(stage.url)));
  await fillVaults(stage, agents, size);
  run.print(`${size.toLocaleString('en')} depositors seeded in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const requests = agents.map(({ key }) => requestOf(stage.url, 'GET /api/earn/pool/positions', { key }));
  const { body } = await call(stage.url, 'GET /api/earn/pool/positions', { key: agents[0]?.key ?? '' });
  if (body['data']?.length === 0) throw new Error('the callers have no positions');
  return { stage, requests, p99: [] };
}

/** Gives every depositor, the callers included, a position in each vault from three deposits. */
async function fillVaults({ database: { pool } }: Stage, agents: readonly TestAgent[], size: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0; set synchronous_commit = off');
    const owners = `select 'agent' as kind, id from unnest($1::text[]) id
      union all select case n % 3 when 0 then 'user' when 1 then 'wallet' else 'agent' end, 'depositor-' || n from generate_series(1, $2::int) n`;
    const values = [agents.map(({ id }) => id), size - agents.length];
    await client.query(
      `insert into earn_positions (vault_key, owner_kind, owner_id, shares, principal_micros)
       select key, kind, id, 300000000, 300000000 from earn_vaults cross join (${owners}) owners`,
      values,
    );
    await client.query(
      `insert into earn_movements (vault_key, owner_kind, owner_id, kind, shares, units, principal_micros, micros, subject_id)
       select key, kind, id, 'deposit', 100000000, 100000000, 100000000, 100000000, 'dep_' || key || id || n
       from earn_vaults cross join (${owners}) owners cross join generate_series(1, 3) n`,
      values,
    );
    await client.query(
      `insert into earn_deposits (id, vault_key, owner_kind, owner_id, network, reference, payer, amount_micros, slippage_bps, status, units, shares,
                                  deploy_reference, settled_at)
       select 'dep_' || key || id || n, key, kind, id, network, 'seed:' || key || id || n, 'payer', 100000000, 100, 'deployed', 100000000, 100000000,
              'seed', market_now()
       from earn_vaults cross join (${owners}) owners cross join generate_series(1, 3) n`,
      values,
    );
    await client.query(
      `update earn_vaults set total_shares = total_shares + 300000000 * $1::numeric, total_units = total_units + 300000000 * $1::numeric`,
      [size],
    );
    for (const table of ['earn_positions', 'earn_movements', 'earn_deposits']) await client.query(`vacuum (analyze) ${table}`);
  } finally {
    client.release(true);
  }
}
