/** The real command as a child process against a real server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operationList } from '@market/contract';
import { kebabCase } from './spelling.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

async function serve(t: TestContext, status: number, answer: unknown): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    seen.push({
      method: request.method,
      url: request.url,
      authorization: request.headers.authorization,
      body: body === '' ? undefined : request.headers['content-type'] === 'application/json' ? JSON.parse(body) : body,
    });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function market(args: readonly string[], options: { env?: Record<string, string>; input?: string } = {}) {
  const child = spawn(process.execPath, [main, ...args], { env: { NODE_NO_WARNINGS: '1', ...options.env } });
  child.stdin.end(options.input ?? '');
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, err, code };
}

const done = { success: true, data: { ok: true }, total: 7 };

test('flags become the request, and the answer’s data is printed as JSON', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  const result = await market(['agents', 'list', '--sort-by', 'newest', '--limit=1', '--url', url]);
  assert.deepEqual(result, { out: '{\n  "ok": true\n}\n', err: '', code: 0 });
  assert.deepEqual([seen[0]?.method, seen[0]?.url], ['GET', '/api/agents?sortBy=newest&limit=1']);
});

test('--full also prints the fields beside data', async (t) => {
  const { url } = await serve(t, 200, done);
  const { out } = await market(['agents', 'list', '--full'], { env: { MARKET_URL: url } });
  assert.deepEqual(JSON.parse(out), { data: { ok: true }, total: 7 });
});

test('lists are comma-separated or repeated flags, null clears a field, and the API key comes from a flag', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  const args = ['--capabilities', 'coding,seo', '--capabilities', 'custom', '--avatar-url', 'null', '--ai-models', '["a, b"]'];
  const { code } = await market(['agents', 'update-me', ...args, '--url', url, '--api-key', 'market_k']);
  assert.equal(code, 0);
  assert.deepEqual(seen, [
    {
      method: 'PATCH',
      url: '/api/agents/me',
      authorization: 'Bearer market_k',
      body: { avatar_url: null, capabilities: ['coding', 'seo', 'custom'], ai_models: ['a, b'] },
    },
  ]);
});

test('boolean fields are --flag and --no-flag, and a path parameter may be positional', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  const env = { MARKET_URL: url, MARKET_TOKEN: 'jwt' };
  await market(['agents', 'set-active', 'tallyrook', '--active'], { env });
  await market(['agents', 'set-active', '--id', 'tallyrook', '--no-active'], { env });
  assert.deepEqual(
    seen.map(({ url: path, body, authorization }) => [path, body, authorization]),
    [
      ['/api/agents/tallyrook/active', { active: true }, 'Bearer jwt'],
      ['/api/agents/tallyrook/active', { active: false }, 'Bearer jwt'],
    ],
  );
});

test('--body - reads fields from standard input, and flags override them', async (t) => {
  const { url, seen } = await serve(t, 201, done);
  const input = JSON.stringify({ name: 'From input', description: 'Reconciles ledgers.' });
  const { code } = await market(['agents', 'register', '--body', '-', '--name', 'From flag', '--url', url], { input });
  assert.equal(code, 0);
  assert.deepEqual(seen[0]?.body, { name: 'From flag', description: 'Reconciles ledgers.' });
});

test('a flag named like a setting and a field sets the field', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  await market(['agents', 'link', '--api-key', 'market_to_link', '--token', 'jwt', '--url', url]);
  assert.deepEqual([seen[0]?.authorization, seen[0]?.body], ['Bearer jwt', { api_key: 'market_to_link' }]);
});

test('a file argument is a path, and an unreadable file is a usage error', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  const env = { MARKET_URL: url, MARKET_API_KEY: 'market_k' };
  const { code } = await market(['uploads', 'upload', '--file', main], { env });
  assert.equal(code, 0);
  assert.match(String(seen[0]?.body), /name="file"; filename="main\.ts"[\s\S]+runMarket/);
  const missing = await market(['uploads', 'upload', '--file', 'nowhere.png'], { env });
  assert.deepEqual(missing, { out: '', err: '--file: nowhere.png cannot be read.\n', code: 2 });
});

test('a refusal is printed to standard error with its code and request id, and exits 1', async (t) => {
  const { url } = await serve(t, 404, { success: false, error: 'Not here.\u001b[2J', code: 'agent_not_found', request_id: 'req_1' });
  const result = await market(['agents', 'get', '--id', 'nobody', '--url', url]);
  assert.deepEqual(result, { out: '', err: 'agent_not_found: Not here. [2J\nrequest id: req_1\n', code: 1 });
});

test('a refusal with data prints the next steps between its message and the request id, on standard error', async (t) => {
  const data = { approval_id: 'apr_1', approve_url: 'https://market.example/build/spending?approval=apr_1', amount_usd: '1.10' };
  const { url } = await serve(t, 403, { success: false, error: 'They were asked.', code: 'approval_required', request_id: 'req_1', data });
  const pay = ['orders', 'pay', '--id', 'ord_1', '--escrow-tx-hash', '0x1', '--url', url, '--api-key', 'market_k'];
  const step = `The owner decides: ${data.approve_url}, or market spending decide --id apr_1 --decision approve`;
  const lines = (...middle: readonly string[]) => ['approval_required: They were asked.', ...middle, 'request id: req_1', ''].join('\n');
  assert.deepEqual(await market(pay), { out: '', err: lines(step), code: 1 });
  assert.deepEqual(await market([...pay, '--full']), { out: '', err: lines(step, `data: ${JSON.stringify(data)}`), code: 1 });
});

test('a usage error exits 2, names the mistake and sends nothing', async (t) => {
  const { url, seen } = await serve(t, 200, done);
  const result = await market(['agents', 'list', '--serach', 'x'], { env: { MARKET_URL: url } });
  assert.deepEqual(result, { out: '', err: 'There is no flag --serach. Did you mean --search?\n', code: 2 });
  assert.equal(seen.length, 0);
});

test('--help lists every operation, and each field with its type and default', async () => {
  const [overview, group, command] = await Promise.all([
    market(['--help']),
    market(['agents', '--help']),
    market(['agents', 'list', '--help']),
  ]);
  const words = overview.out.split(/[\s,]+/);
  for (const { method } of operationList) assert.ok(words.includes(kebabCase(method)), method);
  assert.match(group.out, /update-me +Update your own agent/);
  assert.match(command.out, /--limit <integer> +Default 24\./);
  assert.match(command.out, /market agents list --category coding --sort-by newest --limit 1/);
  assert.deepEqual([overview.code, group.code, command.code], [0, 0, 0]);
});

test('an unreachable service is reported with its address', async () => {
  const { err, code } = await market(['agents', 'models', '--url', 'http://127.0.0.1:9']);
  assert.equal(code, 1);
  assert.match(err, /^network_error: http:\/\/127\.0\.0\.1:9 cannot be reached\./);
});
