import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const scratch = mkdtempSync(join(tmpdir(), 'market-install-test-'));
after(() => rmSync(scratch, { recursive: true }));

const LOCKED = {
  packages: { '': {}, 'node_modules/needed': { version: '1.2.3' }, 'node_modules/other-platform': { version: '1.0.0', optional: true } },
};

/** Replaces npm: records its calls, takes a moment, and writes the files that npm would write. */
const FAKE_NPM = `
  const fs = require('node:fs');
  fs.appendFileSync('calls', process.argv[2] + '\\n');
  if (fs.existsSync('refuse-ci') && process.argv[2] === 'ci') { console.error('npm error code EUSAGE'); process.exit(1); }
  if (fs.existsSync('offline')) { console.error('npm error code ENOTFOUND'); process.exit(1); }
  setTimeout(() => {
    fs.rmSync('node_modules', { recursive: true, force: true });
    fs.mkdirSync('node_modules/.bin', { recursive: true });
    if (!fs.existsSync('ignore-scripts')) fs.symlinkSync(process.execPath, 'node_modules/.bin/node');
  }, 300);
`;

let projects = 0;

function makeProject(): string {
  projects += 1;
  const folder = join(scratch, `project-${projects}`);
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'install-if-missing.mjs'), join(folder, 'scripts/install-if-missing.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCKED));
  writeFileSync(join(folder, 'npm-cli.js'), FAKE_NPM);
  return folder;
}

function install(folder: string): Promise<{ code: number | null; said: string }> {
  const env = { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), TMPDIR: folder };
  const child = spawn(process.execPath, [join(folder, 'scripts/install-if-missing.mjs')], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return new Promise((done) => child.on('close', (code) => done({ code, said })));
}

function npmCalls(folder: string): string[] {
  return existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
}

test('a fresh clone is installed once, and later starts print no message', async () => {
  const folder = makeProject();
  const first = await install(folder);
  assert.equal(first.code, 0);
  assert.match(first.said, /^Installing dependencies \(first run only\)…\nInstalled dependencies in \d+ s\.\n$/);
  assert.deepEqual(await install(folder), { code: 0, said: '' });
  assert.deepEqual(npmCalls(folder), ['ci']);
});

test('a changed lock file, or a pinned Node that does not run, causes a new installation', async () => {
  const folder = makeProject();
  await install(folder);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...LOCKED, changed: true }));
  await install(folder);
  rmSync(join(folder, 'node_modules/.bin/node'));
  writeFileSync(join(folder, 'node_modules/.bin/node'), 'not a program');
  chmodSync(join(folder, 'node_modules/.bin/node'), 0o755);
  await install(folder);
  assert.deepEqual(npmCalls(folder), ['ci', 'ci', 'ci']);
});

test('an npm installation by a person is accepted when it has every locked package', async () => {
  const folder = makeProject();
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/needed'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  const installed = (version: string) => JSON.stringify({ packages: { 'node_modules/needed': { version } } });
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), installed('1.2.3'));
  assert.deepEqual(await install(folder), { code: 0, said: '' });
  assert.deepEqual(npmCalls(folder), []);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...LOCKED, changed: true }));
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), installed('1.0.0'));
  await install(folder);
  assert.deepEqual(npmCalls(folder), ['ci']);
});

test('one of several processes started at once installs and the others wait, also after a crashed process left its lock', async () => {
  const folder = makeProject();
  const [{ said }] = await Promise.all([install(folder), install(folder), install(folder)]);
  assert.match(said, /Installing|Waiting/);
  assert.deepEqual(npmCalls(folder), ['ci']);
  rmSync(join(folder, 'node_modules'), { recursive: true });
  const lock = lockOf(folder);
  writeFileSync(lock, '999999999 dead');
  await Promise.all([install(folder), install(folder)]);
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(lock, `${process.pid} of another program by now`);
  utimesSync(lock, new Date(0), new Date(0));
  await install(folder);
  assert.deepEqual(npmCalls(folder), ['ci', 'ci', 'ci']);
  assert.equal(existsSync(lock), false);
});

/** The path of the script's lock. */
function lockOf(folder: string): string {
  return join(folder, `market-install-${createHash('sha256').update(`${folder}/`).digest('hex').slice(0, 16)}.lock`);
}

test('a lock file that npm ci refuses is installed with npm install', async () => {
  const folder = makeProject();
  writeFileSync(join(folder, 'refuse-ci'), '');
  assert.equal((await install(folder)).code, 0);
  assert.deepEqual(npmCalls(folder), ['ci', 'install']);
});

test('a failed installation prints what failed and what to try, and is not recorded as a success', async () => {
  const folder = makeProject();
  writeFileSync(join(folder, 'offline'), '');
  const offline = await install(folder);
  assert.equal(offline.code, 1);
  assert.match(offline.said, /ENOTFOUND\nnpm ci failed \(exit code 1\)\. Check the network/);
  rmSync(join(folder, 'offline'));
  writeFileSync(join(folder, 'ignore-scripts'), '');
  const withoutNode = await install(folder);
  assert.equal(withoutNode.code, 1);
  assert.match(withoutNode.said, /npm rebuild node --ignore-scripts=false/);
  rmSync(join(folder, 'ignore-scripts'));
  assert.equal((await install(folder)).code, 0);
});
