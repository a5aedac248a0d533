/** Stored endpoints at internal addresses: their webhooks fail, and nothing internal is reached. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { attackersZone, CANARY_PORT, type Canary, ELSEWHERE_INSIDE, openCanary, THIS_MACHINE } from '../harness/hostile-targets.ts';
import { openReceiver } from '../harness/receiver.ts';
import { until } from '../money/money.ts';
import { type Engine, openEngine } from '../webhooks/engine.ts';

const OTHER_TROUBLE = [
  `http://127.0.0.1:${CANARY_PORT}/`,
  `https://user:x@127.0.0.1:${CANARY_PORT}/`,
  `https://93.184.216.34@127.0.0.1:${CANARY_PORT}/`,
  `https://127.0.0.1:${CANARY_PORT}#@93.184.216.34/`,
  'https://93.184.216.34:22/',
  'https://93.184.216.34:5432/',
  'http://93.184.216.34/',
  'file:///etc/passwd',
  `gopher://127.0.0.1:${CANARY_PORT}/_x`,
  `https://[fe80::1%25lo]:${CANARY_PORT}/`,
  `https://[::1%25lo]:${CANARY_PORT}/`,
  'not an address',
];
const HOSTILE = [
  ...[...THIS_MACHINE, ...ELSEWHERE_INSIDE, ...Object.keys(attackersZone)].map((host) => `https://${host}:${CANARY_PORT}/hook`),
  ...OTHER_TROUBLE,
];
const REBINDING = `https://rebind.attacker.com:${CANARY_PORT}/hook`;

let canary: Canary;
let engine: Engine;
let asked = 0;
before(async () => {
  canary = await openCanary();
  engine = await openEngine({
    allowHosts: [],
    async resolve(host) {
      if (host !== 'rebind.attacker.com') return attackersZone[host] ?? [];
      // Public in the first DNS answer, private in every later one.
      asked += 1;
      return asked === 1 ? ['93.184.216.34'] : ['127.0.0.1'];
    },
  });
  await engine.startSender();
});
after(async () => {
  await engine.close();
  canary.close();
});

/** The end of each delivery: state, attempts, and the last error. */
async function untilEnded(count: number): Promise<{ agent_id: string; ends_as: string; number: number; error: string }[]> {
  return await until('all being given up', async () => {
    const { rows } = await engine.database.pool.query(
      'select agent_id, ends_as, number, error from webhook_attempts where ends_as is not null',
    );
    return rows.length >= count ? rows : undefined;
  });
}

test(`W01, W02, W03, W04, W05, W06, W07: none of ${HOSTILE.length} endpoints at internal addresses is connected to; each delivery fails three times and stops`, async () => {
  assert.ok(HOSTILE.length >= 60);
  const agents = new Map<string, string>();
  for (const url of HOSTILE) agents.set(await engine.addAgent(url), url);
  await engine.tell([...agents.keys()]);
  for (const { agent_id, ends_as, number, error } of await untilEnded(HOSTILE.length)) {
    const url = agents.get(agent_id);
    assert.deepEqual([ends_as, number], ['failed', 3], url);
    assert.match(error, /^(The URL|This is not a URL|The host name of the URL)/, url);
  }
  assert.equal(canary.reached(), 0);
});

test('W05: an endpoint name that is public when checked and private when connected reaches nothing internal', async () => {
  const agent = await engine.addAgent(REBINDING);
  await engine.tell([agent]);
  const ended = await until('it being given up', async () => (await untilEnded(1)).find(({ agent_id }) => agent_id === agent), 40);
  assert.equal(ended.ends_as, 'failed');
  assert.ok(asked >= 2, 'the name was looked up again');
  assert.equal(canary.reached(), 0);
});

test('W06: a webhook’s redirect to an internal address is a failed delivery and is not followed', async (t) => {
  const receiver = await openReceiver((response) => void response.writeHead(307, { location: `http://127.0.0.1:${CANARY_PORT}/` }).end());
  t.after(receiver.close);
  const listed = await openEngine({ allowHosts: [new URL(receiver.url).host] });
  t.after(listed.close);
  await listed.startSender();
  await listed.tell([await listed.addAgent(receiver.url)]);
  await until('three attempts', async () => (receiver.received.length === 3 ? true : undefined));
  assert.equal(canary.reached(), 0);
});
