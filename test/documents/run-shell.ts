/** Runs the shell blocks of one document in bash, as typed. Variables of a block are kept for the next one. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { COMMAND_LINE } from '../harness/programs.ts';
import { type Block, nameOf, ROOT } from './blocks.ts';

export interface Shell {
  /** Variables that the reader has, beside those that the blocks set. */
  set(variables: Readonly<Record<string, string>>): void;
  get(name: string): string;
  /** Runs the next block. `statuses` are those of its curl calls if not all succeed. */
  next(statuses?: readonly number[]): Promise<string>;
  /** Skips a block that another test runs. */
  skip(): void;
  readonly folder: string;
  remove(): Promise<void>;
}

const RUNS_MS = 240_000;

/**
 * `curl` reports its status, and a stream ends after a while. `market` and `npx market` are this checkout's, and `market listen` is
 * interrupted after its first output.
 */
const PRELUDE = `
set -a -euo pipefail
exec < /dev/null
curl() {
  local limit=
  if [[ " $* " == *" -N "* ]]; then limit='--max-time 2'; fi
  command curl -sS $limit "$@" -w '%{stderr}HTTP %{http_code} %{url_effective}\\n' || [ $? = 28 ]
}
market() {
  if [[ "$1" != listen ]]; then "$NODE" "$COMMAND_LINE" "$@"; return; fi
  rm -f said
  "$NODE" "$COMMAND_LINE" "$@" > said 2>&1 &
  for _ in {1..900}; do if [ -s said ]; then break; fi; sleep 0.1; done
  kill -INT $!
  wait $!
  cat said
}
npx() { shift; market "$@"; }
`;

export async function openShell(blocks: readonly Block[], address: string, onRun: (block: Block) => void): Promise<Shell> {
  const folder = await mkdtemp(path.join(tmpdir(), 'market-shell-'));
  const kept = path.join(folder, 'variables');
  const { PATH = '', HOME = '' } = process.env;
  let variables: Record<string, string> = { PATH, HOME, NODE: process.execPath, COMMAND_LINE, MARKET_URL: address, NODE_NO_WARNINGS: '1' };
  let done = 0;
  return {
    folder,
    set: (more) => {
      variables = { ...variables, ...more };
    },
    get: (name) => variables[name] ?? assert.fail(`no block has set ${name}`),
    async next(statuses) {
      const block = blocks[done++];
      assert.ok(block, 'the document has no further block');
      onRun(block);
      const script = `${PRELUDE}${filledIn(atAddress(block.text, address))}\nenv -0 > '${kept}'\n`;
      // npm finds the commands of the README in this checkout.
      const cwd = block.document === 'README.md' ? ROOT : folder;
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env: variables, cwd, timeout: RUNS_MS }).catch(
        (error: Error & { stdout: string; stderr: string }) =>
          assert.fail(`${nameOf(block)}: ${error.message}\n${error.stdout}\n${error.stderr}`),
      );
      const seen = [...stderr.matchAll(/^HTTP (\d+) /gm)].map((match) => Number(match[1]));
      const wrong = statuses === undefined ? seen.some((status) => status < 200 || status > 299) : seen.join() !== statuses.join();
      assert.ok(!wrong, `${nameOf(block)}\n${stdout}\n${stderr}`);
      variables = { ...variables, ...parseEnvironment(await readFile(kept, 'utf8')) };
      return stdout;
    },
    skip() {
      const block = blocks[done++];
      assert.ok(block);
      onRun(block);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Documents name the address of `npm start`; this replaces it by the test market's. */
export function atAddress(text: string, address: string): string {
  const host = new URL(address).host;
  return text.replaceAll('localhost:4020', host).replaceAll('127.0.0.1:4020', host).replaceAll('https://market.example', address);
}

/** Fills in abbreviated keys and wallets, as a reader does. */
function filledIn(text: string): string {
  return text.replaceAll('=market_…', '=$MARKET_API_KEY').replaceAll('=0x…', '=$WALLET');
}

function parseEnvironment(text: string): Record<string, string> {
  const entries = text.split('\0').filter((entry) => entry !== '' && !entry.startsWith('BASH_FUNC'));
  return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

/** Creates a file that the document assumes. */
export async function give(shell: Shell, name: string, content: Buffer): Promise<void> {
  await writeFile(path.join(shell.folder, name), content);
}
