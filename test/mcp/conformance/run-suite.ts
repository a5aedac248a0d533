/** Runs the official MCP conformance suite against a market of its own, with the suite's fixtures mounted. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { installPackages } from '../../clients/install-client.ts';
import { registerAgent } from '../../harness/agents.ts';
import { freePort, openMarket, type Settings, type TestMarket } from '../../harness/market.ts';
import { allow, Browser, registerProgram } from '../../harness/oauth.ts';
import { tokenFor } from '../../harness/people.ts';
import { openAuthorizingProxy } from './authorizing-proxy.ts';

/** Revisions whose required scenarios the suite keeps as frozen lists. */
export const revisions = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

/** Scenarios of the Tasks extension, which the server offers. No revision requires it, so they run unscored with those of 2026-07-28. */
export const taskScenarios = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
] as const;

/** The file of a revision's expected failures, if it has any. */
export function expectedFailuresOf(revision: Revision): string | undefined {
  const file = path.join(import.meta.dirname, `expected-failures-${revision}.yml`);
  return existsSync(file) ? file : undefined;
}

const PROGRAM = path.join('node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

export interface SuiteRun {
  readonly exitCode: number | null;
  /** The summary of the suite: one line per scenario. */
  readonly summary: string;
  readonly output: string;
}

export interface ConformanceStage {
  readonly market: TestMarket;
  /** The market's address for the suite: a proxy with the credentials that it cannot send itself. */
  readonly url: string;
  runServerScenarios(revision: Revision): Promise<SuiteRun>;
  /** Runs the scenarios for authorization servers; a signed-in person allows the requested scopes. */
  runAuthorizationScenarios(): Promise<SuiteRun>;
  close(): Promise<void>;
}

export async function openConformanceStage(settings: Settings = {}): Promise<ConformanceStage> {
  const folder = await installPackages(import.meta.dirname);
  const proxy = await openAuthorizingProxy();
  const results = await mkdtemp(path.join(tmpdir(), 'mcp-conformance-'));
  const market = await openMarket({ MCP_FIXTURES: 'on', APP_URL: proxy.url, ...settings });
  proxy.forwardTo({ url: market.url, key: (await registerAgent(market.url)).key });
  const run = async (args: readonly string[], onLine?: (line: string) => void): Promise<SuiteRun> =>
    await runProgram(path.join(folder, PROGRAM), [...args, '--output-dir', results], onLine);
  return {
    market,
    url: proxy.url,
    async runServerScenarios(revision) {
      const expected = expectedFailuresOf(revision);
      const baseline = expected === undefined ? [] : ['--expected-failures', expected];
      return await run(['server', '--url', `${proxy.url}/mcp`, '--requirements', revision, ...baseline]);
    },
    async runAuthorizationScenarios() {
      const port = await freePort();
      const clientId = await registerProgram(proxy.url, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
      const person = await tokenFor(proxy.url, { email: 'conformance@example.com' });
      const settings = ['--client-id', clientId, '--resource', `${proxy.url}/mcp`, '--port', String(port)];
      return await run(['authorization', '--url', proxy.url, ...settings], (line) => {
        if (line.startsWith(`${proxy.url}/oauth/authorize?`)) void allowAt(proxy.url, person, line);
      });
    },
    async close() {
      proxy.close();
      await market.close();
      await rm(results, { recursive: true, force: true });
    },
  };
}

/** Acts as the person's browser: opens the link, allows, and returns to the program. */
async function allowAt(url: string, person: string, link: string): Promise<void> {
  const browser = new Browser(url, { 'idp-token': person });
  const { pathname, search } = new URL(link);
  const begun = await browser.send(`GET ${pathname as `/${string}`}${search}`);
  const sentTo = await allow(browser, (begun.headers.get('location') ?? '') as `/oauth/consent/${string}`);
  await fetch(sentTo);
}

async function runProgram(program: string, args: readonly string[], onLine?: (line: string) => void): Promise<SuiteRun> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 170_000 });
  if (onLine !== undefined) createInterface({ input: child.stdout }).on('line', onLine);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [output, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const summary = output.split('=== SUMMARY ===')[1] ?? '';
  return { exitCode, summary: withoutColours(summary.trim()), output: withoutColours(output + errors) };
}

function withoutColours(words: string): string {
  return words.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
}
