/** Debian's nginx in front of a market, with every setting that decides over a request left as it is by default. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { holdFreePort } from '../../packages/server/src/boot/hold-port.ts';
import { requireProgram } from '../../scripts/testing/debian-programs.ts';
import { openMarket, type Settings, type TestMarket } from '../harness/market.ts';
import { until } from '../money/money.ts';

export interface ProxiedMarket {
  /** `url` is the market's own address, which no client knows here. */
  readonly market: TestMarket;
  /** The address clients know. */
  readonly url: string;
  close(): Promise<void>;
}

/** The market says of itself that it lives at the proxy's address, as an operator would set it. */
export async function openBehindNginx(settings: Settings): Promise<ProxiedMarket> {
  const held = await holdFreePort('127.0.0.1');
  const url = `http://127.0.0.1:${held.port}`;
  const market = await openMarket({ ...settings, BASE_URL: url, APP_URL: url });
  try {
    await held.release();
    const stop = await startNginx(held.port, market.url);
    return {
      market,
      url,
      async close() {
        await stop();
        await market.close();
      },
    };
  } catch (error) {
    await market.close();
    throw error;
  }
}

async function startNginx(port: number, target: string): Promise<() => Promise<void>> {
  const program = requireProgram('nginx');
  const folder = await mkdtemp(path.join(tmpdir(), 'nginx-'));
  // Its workers run under an account of their own.
  await chmod(folder, 0o755);
  await writeFile(path.join(folder, 'nginx.conf'), configOf(folder, port, target));
  const child = spawn(program, ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', path.join(folder, 'error.log')], {
    stdio: 'ignore',
  });
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until('nginx', async () => {
      assert.equal(child.exitCode, null, await readFile(path.join(folder, 'error.log'), 'utf8').catch(() => 'nginx ended'));
      return await fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ status }) => status === 200 || undefined,
        () => undefined,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** Where files lie and which port is used; nothing about sizes, buffers, times or headers. */
function configOf(folder: string, port: number, target: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
  return `
    daemon off;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${places.join('\n      ')}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${target};
        }
      }
    }
  `;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
