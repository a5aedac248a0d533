/** Debian's proxies in front of a market, with every setting that decides over a request left as it is by default. */
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

export const proxyNames = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The market says of itself that it lives at the proxy's address, as an operator would set it. */
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

/** Starts a proxy before any server; resolves with what stops it. */
export async function startProxy(name: ProxyName, port: number, target: string): Promise<() => Promise<void>> {
  const program = requireProgram(name);
  const folder = await mkdtemp(path.join(tmpdir(), `${name}-`));
  // Workers of nginx run under an account of their own.
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

/** Where files lie and which port is used; nothing about sizes, buffers, times or headers. */
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
  // The address of its administration would be the same for every Caddy on this machine.
  caddy: ({ folder, port, target }) => ({
    args: ['run', '--adapter', 'caddyfile', '--config', path.join(folder, 'config')],
    config: `{\n  admin off\n}\nhttp://:${port} {\n  bind 127.0.0.1\n  reverse_proxy ${target.host}\n}\n`,
  }),
  // The times are those of the file that Debian installs; HAProxy itself has none.
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
