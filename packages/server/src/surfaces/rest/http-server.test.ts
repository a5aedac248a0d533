import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';
import { createHttpServer } from './http-server.ts';

test('a body that does not arrive in time is answered and the connection closed, except on upload routes', async (t) => {
  const log = createLogger({ level: 'silent', pretty: false });
  const app = createHttpServer({
    log,
    metrics: createMetrics(),
    trustedProxies: [],
    trustedOrigins: new Set(),
    production: false,
    bodyMs: 300,
  });
  app.post('/quick', async () => ({ success: true }));
  app.post('/files', { config: { slowBody: true } }, async () => ({ success: true }));
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const send = async (path: string): Promise<string> =>
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString();
      });
      socket.on('error', () => undefined).on('close', () => resolve(answer));
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`);
      setTimeout(() => socket.writable && socket.write('}'), 900);
    });
  const [quick, files] = await Promise.all([send('/quick'), send('/files')]);
  assert.match(quick, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
  assert.match(files, /^HTTP\/1\.1 200 /);
});
