/** Bodies and pictures made as costly as possible, exactly as large as allowed: the server's memory and time, and the delay for others. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { quantile } from '../../bench/load.ts';
import { imageBombs } from '../../packages/server/testing/image-bombs.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { upload } from '../harness/files.ts';
import { call } from '../harness/http.ts';
import { type SharedMarket, startServers } from '../harness/market.ts';
import { some, times } from '../harness/thoroughness.ts';

const MOST_BODY_BYTES = 256 * 1024;
const MOST_FILE_BYTES = 50 * 1024 * 1024;
const AT_ONCE = times(20, 100);
const MOST_PROCESSOR_MS = 15;
/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10;

let shared: SharedMarket;
let url: string;
let agent: TestAgent;
before(async () => {
  shared = await startServers(1);
  url = shared.servers[0]?.url ?? '';
  agent = await registerAgent(url);
});
after(() => shared.close());

const fill = (start: string, piece: string, end: string) => {
  const count = Math.floor((MOST_BODY_BYTES - start.length - end.length) / piece.length);
  return `${start}${piece.repeat(count)}`.padEnd(MOST_BODY_BYTES - end.length, ' ') + end;
};
const numbered = (write: (n: number) => string) => {
  let text = '{';
  for (let n = 0; text.length < MOST_BODY_BYTES - 40; n++) text += `${write(n)},`;
  return `${text}"z":1}`.padEnd(MOST_BODY_BYTES, ' ');
};

const bodies: readonly (readonly [what: string, body: string])[] = [
  ['lists nested as deep as they go', fill('', '[', '')],
  ['objects nested as deep as they go', fill('', '{"a":', '')],
  ['many fields', numbered((n) => `"k${n}":0`)],
  [
    'many fields of one hash',
    numbered((n) => `"${[...n.toString(2).padStart(16, '0')].map((bit) => (bit === '0' ? 'Aa' : 'BB')).join('')}":0`),
  ],
  ['32 levels of lists, many times', fill('{"name":[', `${'['.repeat(28)}${']'.repeat(28)},`, '0]}')],
  ['one list of 131,000 numbers', fill('{"name":[', '0,', '0]}')],
  ['one list of 65,000 empty texts', fill('{"name":[', '"",', '0]}')],
  ['empty objects', fill('{"name":[', '{},', '0]}')],
  ['one number of 262,000 digits', fill('{"name":', '9', '}')],
  ['numbers with giant exponents', fill('{"name":[', '1e999999999,', '0]}')],
  ['one long text', fill('{"name":"', 'x', '"}')],
  ['one long text of escapes', fill('{"name":"', '\\u0041', '"}')],
  ['one long text of blanks', fill('{"name":"x', ' ', 'x"}')],
  ['one long text of combining marks', fill('{"name":"', '\\u0301', '"}')],
  ['a key of 262,000 letters', fill('{"', 'x', '":1}')],
  ['quotes and backslashes', fill('{"name":"', '\\\\\\"', '"}')],
];

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${shared.servers[0]?.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** The answer times of another client until the work ends, and the server's peak memory. */
async function feltDuring<T>(
  work: Promise<T>,
): Promise<{ readonly result: T; readonly felt: readonly number[]; readonly peakMib: number }> {
  const felt: number[] = [];
  let [isOver, peakMib] = [false, 0];
  const ended = work.finally(() => {
    isOver = true;
  });
  do {
    const started = performance.now();
    assert.equal((await call(url, 'GET /api/agents/me', { key: agent.key })).status, 200);
    felt.push(performance.now() - started);
    peakMib = Math.max(peakMib, await residentMib());
  } while (!isOver);
  return { result: await ended, felt: felt.sort((a, b) => a - b), peakMib };
}

/** Processor time of the server, which other work on the machine does not change. */
async function processorMs(): Promise<number> {
  const stat = await readFile(`/proc/${shared.servers[0]?.child.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * MS_PER_TICK;
}

test(`I01, I02: each costly body of 256 KiB is refused within ${MOST_PROCESSOR_MS} ms of processor time, ${AT_ONCE} at once`, async (t) => {
  const crowd = (raw: string) => Promise.all(Array.from({ length: AT_ONCE }, () => call(url, 'POST /api/agents/register', { raw })));
  await crowd(bodies[0]?.[1] ?? '');
  const before = await residentMib();
  for (const [what, raw] of bodies) {
    assert.equal(Buffer.byteLength(raw), MOST_BODY_BYTES, what);
    const startedMs = await processorMs();
    const { result, felt, peakMib } = await feltDuring(crowd(raw));
    const eachMs = ((await processorMs()) - startedMs) / (AT_ONCE + felt.length);
    for (const { status } of result) assert.equal(status, 400, what);
    t.diagnostic(
      `${what}: ${eachMs.toFixed(1)} ms of processor time each; others at worst ${Math.round(felt.at(-1) ?? 0)} ms; ` +
        `${Math.round(before)} to ${Math.round(peakMib)} MiB`,
    );
    assert.ok(eachMs < MOST_PROCESSOR_MS, `${what}: ${eachMs.toFixed(1)} ms`);
    assert.ok(peakMib < before + 300, `${what}: ${Math.round(peakMib)} MiB`);
  }
});

test('U07: the costliest pictures are accepted, and neither their upload nor their preview delays others by a second', async (t) => {
  const before = await residentMib();
  for (const { what, make } of some(imageBombs(MOST_FILE_BYTES), 1)) {
    const content = Buffer.from(make());
    const started = performance.now();
    const { result, felt, peakMib } = await feltDuring(upload(url, agent.key, { content, name: 'bomb' }));
    const tookMs = performance.now() - started;
    assert.equal(result.status, 200, JSON.stringify(result.body));
    const id = result.body['data'].upload_id;
    const { felt: later, peakMib: laterMib } = await feltDuring(untilTried(id));
    const p95 = (values: readonly number[]) => Math.round(quantile(values, 0.95));
    t.diagnostic(
      `${what}: ${content.length} bytes, upload ${Math.round(tookMs)} ms, others p95 ${p95(felt)} ms; ` +
        `preview over after ${Math.round(performance.now() - started)} ms, others p95 ${p95(later)} ms; ` +
        `server ${Math.round(before)} to ${Math.round(Math.max(peakMib, laterMib))} MiB`,
    );
    assert.ok(p95(later) < 1_000 && p95(felt) < 1_000);
    assert.ok(Math.max(peakMib, laterMib) < before + 300);
  }
});

async function untilTried(id: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ ...shared.database.connection });
  await client.connect();
  try {
    for (;;) {
      const { rowCount } = await client.query(`select 1 from jobs where unique_key = $1 and state = 'ready'`, [`upload.preview:${id}`]);
      if (rowCount === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await client.end();
  }
}
