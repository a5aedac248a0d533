/** npm's `oidc-provider` on loopback, and a person's browser that signs in there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { installPackages } from '../../clients/install-client.ts';

export interface RunningProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** `configuration` is the provider's own; it falls back to the provider's defaults. */
export async function startProvider(port: number, configuration: object): Promise<RunningProvider> {
  const folder = await installPackages(import.meta.dirname);
  const program = path.join(folder, `provider-${randomBytes(4).toString('hex')}.mjs`);
  await copyFile(path.join(import.meta.dirname, 'provider.mjs'), program);
  const issuer = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'] ?? '', PROVIDER: JSON.stringify({ port, issuer, configuration }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([
    new Promise<void>((resolve) => createInterface({ input: child.stdout }).on('line', (line) => line === 'ready' && resolve())),
    ended.then(() => assert.fail(`the provider did not start:\n${complaints}`)),
  ]);
  await rm(program, { force: true });
  return {
    issuer,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Follows redirects, keeps cookies, fills in the provider's forms, and stops at an address that begins with `returnTo`. */
export async function signInAs(login: string, startAt: string, returnTo: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, body?: URLSearchParams): Promise<Response> => {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const response = await fetch(url, { redirect: 'manual', headers, ...(body !== undefined && { method: 'POST', body }) });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  let url = new URL(startAt);
  let response = await visit(url);
  for (let steps = 0; steps < 20; steps++) {
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(returnTo)) return url;
      response = await visit(url);
      continue;
    }
    const page = await response.text();
    assert.equal(response.status, 200, page);
    const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(page) ?? [];
    const fields = new URLSearchParams({ login, password: 'any' });
    for (const [, name = '', value = ''] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) fields.set(name, value);
    url = new URL(action, url);
    response = await visit(url, fields);
  }
  return assert.fail(`still at ${url.href}`);
}
