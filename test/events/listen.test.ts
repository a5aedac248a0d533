/** `market listen`: the real command as a child process, against a real market and a receiver. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { verifyWebhook } from '@market/sdk/webhooks';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, listService, openBuyer, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';
import { COMMAND_LINE } from '../harness/programs.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { generated, listRequests, openWorkspace } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
let receiver: Receiver;
let provider: Provider;
let buyer: TestWallet;
let serviceId: string;
const commands: ChildProcess[] = [];

before(async () => {
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  receiver = await openReceiver();
  provider = await openProvider(market.url);
  buyer = baseWallet();
  serviceId = await listService(market.url, provider, { price_usd: '1.00' });
});

after(async () => {
  for (const command of commands) command.kill('SIGKILL');
  await receiver.close();
  await market.close();
});

interface Listening {
  readonly lines: () => string[];
  readonly complaints: () => string;
  /** Sends Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>;
}

function listen(...args: string[]): Listening {
  const env = { NODE_NO_WARNINGS: '1', MARKET_URL: market.url, MARKET_API_KEY: provider.key };
  const command = spawn(process.execPath, [COMMAND_LINE, 'listen', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  commands.push(command);
  let [out, err] = ['', ''];
  command.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  command.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => command.once('close', resolve));
  return {
    lines: () => out.split('\n').slice(0, -1),
    complaints: () => err,
    async stop() {
      command.kill('SIGINT');
      return await ended;
    },
  };
}

async function untilReceived(count: number): Promise<void> {
  await until(`${count} calls`, async () => (receiver.received.length >= count ? true : undefined), 20);
}

test('market listen sends an agent without a secret calls like real webhooks, signed with a printed secret; Ctrl-C ends it', async () => {
  const listening = listen('--forward', `${receiver.url}/hook`, '--after', '0');
  const secret = await until('the secret', async () => /whsec_[0-9a-f]{64}/.exec(listening.complaints())?.[0], 20);
  const order = await placeOrder(market.url, serviceId, buyer);
  await act(market.url, order, buyer, 'cancel');
  await untilReceived(2);
  const [created, cancelled] = receiver.received;
  assert.equal(created?.path, '/hook');
  assert.equal(created?.headers['content-type'], 'application/json');
  assert.equal(created?.headers['x-market-event'], 'order.created');
  assert.equal(created?.headers['x-market-agent-id'], provider.id);
  assert.match(String(created?.headers['x-market-delivery-id']), /^[0-9a-f-]{36}$/);
  assert.deepEqual(Object.keys(created?.json ?? {}), ['event', 'order_id', 'data']);
  const events = await Promise.all(
    [created, cancelled].map((call) => verifyWebhook(call?.text ?? '', String(call?.headers['x-market-signature']), secret)),
  );
  assert.deepEqual(
    events.map(({ event, order_id }) => [event, order_id]),
    [
      ['order.created', order],
      ['order.cancelled', order],
    ],
  );
  await until('two lines', async () => (listening.lines().length === 2 ? true : undefined));
  assert.match(listening.lines()[0] ?? '', new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}order\\.created {2}${order} {2}200 {2}\\d+ ms$`));
  assert.equal(await listening.stop(), 0);
  assert.ok(!secret.includes(provider.key));

  const again = listen('--forward', `${receiver.url}/hook`);
  assert.equal(await until('the secret', async () => /whsec_[0-9a-f]{64}/.exec(again.complaints())?.[0], 20), secret, 'kept between runs');
  assert.equal(await again.stop(), 0);
});

test('market listen forwards a workspace request as the call of an endpoint: a result is delivered, 202 leaves it open', async () => {
  receiver.received.length = 0;
  receiver.answer((response, { json }) => {
    const isLater = json['data'].prompt === 'Later.';
    response.writeHead(isLater ? 202 : 200, { 'content-type': 'application/json' });
    response.end(isLater ? '' : JSON.stringify({ content: 'Rye, because it keeps.' }));
  });
  const payer = await openBuyer(market, 'base-mainnet');
  const workspace = await openWorkspace(market.url, provider, payer);
  const listening = listen('--forward', receiver.url, '--events', 'workspace.generate', '--after', '0');
  await generated(market.url, workspace, payer, 'Later.');
  await generated(market.url, workspace, payer, 'Which bread?');
  await until('the delivery', async () => (listening.lines().some((line) => line.includes('200, delivered')) ? true : undefined), 20);
  assert.deepEqual(
    receiver.received.map(({ json }) => [json['event'], json['order_id'], json['data'].prompt, json['data'].previous]),
    [
      ['workspace.generate', workspace, 'Later.', []],
      ['workspace.generate', workspace, 'Which bread?', [{ prompt: 'Later.', status: 'pending' }]],
    ],
  );
  const [answered, open] = await listRequests(market.url, workspace, payer);
  assert.deepEqual([answered?.['deliverables'][0].content, open?.['status']], ['Rye, because it keeps.', 'pending']);
  assert.equal(await listening.stop(), 0);
  receiver.answer((response) => void response.end());
});

test('market listen retries a failed call after one and four seconds, under the same id, newly signed, without delaying others', async () => {
  receiver.received.length = 0;
  const failing = await placeOrder(market.url, serviceId, buyer);
  receiver.answer((response, { json }) => {
    response.statusCode = json['order_id'] === failing ? 503 : 204;
    response.end();
  });
  const { rows } = await market.database.pool.query<{ seq: string }>(
    `select (max(agent_seq) - 1)::text as seq from events where agent_id = $1`,
    [provider.id],
  );
  const listening = listen('--forward', receiver.url, '--events', 'order.created', '--after', rows[0]?.seq ?? '');
  await untilReceived(1);
  const other = await placeOrder(market.url, serviceId, buyer);
  await until('four calls', async () => (receiver.received.length === 4 ? true : undefined), 20);
  assert.deepEqual(
    receiver.received.map(({ json }) => json['order_id']),
    [failing, other, failing, failing],
  );
  const [first, , second, third] = receiver.received;
  const gap = (from: typeof first, to: typeof first): number => (to?.atMs ?? 0) - (from?.atMs ?? 0);
  // A busy machine is late, but never early.
  assert.ok(gap(first, second) > 950 && gap(first, second) < 3_000, `second after ${gap(first, second)} ms`);
  assert.ok(gap(second, third) > 3_950 && gap(second, third) < 7_000, `third after ${gap(second, third)} ms`);
  assert.equal(new Set([first, second, third].map((call) => call?.headers['x-market-delivery-id'])).size, 1);
  assert.equal(new Set([first, third].map((call) => call?.headers['x-market-signature'])).size, 2);
  await until('the last line', async () => (listening.lines().some((line) => line.endsWith('given up')) ? true : undefined));
  assert.equal(await listening.stop(), 0);
});

test('market listen --print prints every event as a line of JSON and forwards nothing', async () => {
  receiver.received.length = 0;
  const listening = listen('--print', '--after', '0');
  await until('the events', async () => (listening.lines().length >= 4 ? true : undefined), 20);
  const [first] = listening.lines().map((line) => JSON.parse(line));
  assert.deepEqual([first.seq, first.event, first.agent_id], [1, 'agent.registered', provider.id]);
  assert.equal(await listening.stop(), 0);
  assert.equal(receiver.received.length, 0);
});

test('market listen signs calls with an agent’s own secret, and does not print it', async () => {
  receiver.received.length = 0;
  receiver.answer((response) => void response.end());
  const body = { endpoint_url: `${receiver.url}/in-production` };
  const { webhook_secret: secret } = await expectCall(market.url, 200, 'PATCH /api/agents/me', { ...provider, body });
  const listening = listen('--forward', `${receiver.url}/here`);
  await until('the connection', async () => (listening.complaints().includes('forwarding') ? true : undefined), 20);
  // The stream may start late: wherever it begins, the second order comes after.
  const call = await until(
    'a call',
    async () => {
      await placeOrder(market.url, serviceId, buyer);
      return receiver.received.find(({ path }) => path === '/here');
    },
    20,
  );
  assert.equal((await verifyWebhook(call.text, String(call.headers['x-market-signature']), secret)).event, 'order.created');
  assert.equal(await listening.stop(), 0);
  assert.ok(!listening.complaints().includes(secret) && !listening.lines().join().includes(secret));
});
