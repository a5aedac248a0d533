/** Debian's proxies in front of a market, with default values for every setting that affects a request. */
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
  /** `url` in it is the market's own address, which clients do not know. */
  readonly market: TestMarket;
  /** The address that clients know. */
  readonly url: string;
  close(): Promise<void>;
}

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The market's public address is the proxy's, as an operator sets it. */
export async function openBehind(name: ProxyName, settings: Settings): Promise<ProxiedMarket> {
  const held = await holdFreePort('127.0.0.1');
  const url = `http://127.0.0.1:${held.port}`;
  const market = await openMarket({ ...settings, BASE_URL: url, APP_URL: url });
  try {
    await held.release();
    const stop = await startProxy(name, held.port, market.url);
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

/** Starts a proxy before any server; resolves with a function that stops it. */
export async function startProxy(name: ProxyName, port: number, target: string): Promise<() => Promise<void>> {
  const program = requireProgram(name);
  const folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
  // nginx's workers run under another account.
  await chmod(folder, 0o755);
  const { args, config } = starts[name]({ folder, port, target: new URL(target) });
  if (config !== undefined) await writeFile(path.join(folder, 'config'), config);
  const child = spawn(program, [...args], { stdio: 'ignore', env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } });
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(name, async () => {
      assert.equal(child.exitCode, null, await readFile(path.join(folder, 'error.log'), 'utf8').catch(() => `${name} ended`));
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

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly target: URL;
}

interface Start {
  readonly args: readonly string[];
  readonly config?: string;
}

/** Paths and ports only; nothing about sizes, buffers, times or headers. */
const starts: Readonly<Record<ProxyName, (place: Place) => Start>> = {
  nginx: ({ folder, port, target }) => {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
    return {
      args: ['-p', folder, '-c', path.join(folder, 'config'), '-e', path.join(folder, 'error.log')],
      config: `
        daemon off;
        pid ${folder}/nginx.pid;
        error_log ${folder}/error.log;
        events {}
        http {
          access_log off;
          ${places.join('\n          ')}
          server {
            listen 127.0.0.1:${port};
            location / {
              proxy_pass ${target.origin};
            }
          }
        }
      `,
    };
  },
  // Its administration address would be the same for every Caddy on this machine.
  caddy: ({ folder, port, target }) => ({
    args: ['run', '--adapter', 'caddyfile', '--config', path.join(folder, 'config')],
    config: `{\n  admin off\n}\nhttp://:${port} {\n  bind 127.0.0.1\n  reverse_proxy ${target.host}\n}\n`,
  }),
  // The times of the file that Debian installs; HAProxy itself has no defaults.
  haproxy: ({ folder, port, target }) => ({
    args: ['-f', path.join(folder, 'config')],
    config: [
      'defaults',
      '  mode http',
      '  option dontlognull',
      '  timeout connect 5000',
      '  timeout client 50000',
      '  timeout server 50000',
      'frontend all',
      `  bind 127.0.0.1:${port}`,
      '  default_backend market',
      'backend market',
      `  server market ${target.host}`,
      '',
    ].join('\n'),
  }),
};

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
