// Makes `npm start` and `npm test` work in a fresh clone: installs the dependencies when they are missing or out of date.
// Runs before any installation and on the machine's own Node (18 or later), so it is plain JavaScript without imports of this repository.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-from');
const lockedPackages = readFileSync(join(root, 'package-lock.json'), 'utf8');
const fingerprint = `${createHash('sha256').update(lockedPackages).digest('hex')} ${process.platform}-${process.arch}`;

/** The lock file, outside node_modules, because npm empties that folder. */
const lock = join(tmpdir(), `market-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`);
const LOCK_IS_STALE_AFTER_MS = 30_000;
const LOCK_RENEWAL_MS = 5_000;

if (!isInstalled()) await installAlone();

function isInstalled() {
  if (readIfThere(stamp) === stampText()) return true;
  if (!hasRunnableNode()) return false;
  if (!isInstalledByNpm()) return false;
  writeStamp();
  return true;
}

/** Identifies the Node binary that ran when the stamp was written. Running it again at each start would cost more than all other checks. */
function stampText() {
  const found = statSync(join(modules, '.bin', 'node'), { throwIfNoEntry: false });
  return `${fingerprint} ${found?.size} ${found?.mtimeMs}`;
}

/** Whether the pinned Node, on which all other programs run, works; npm omits it when install scripts are switched off. */
function hasRunnableNode() {
  return spawnSync(join(modules, '.bin', 'node'), ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Accepts an installation by a person if it has every needed package in the locked version. */
function isInstalledByNpm() {
  const present = parsePackages(readIfThere(join(modules, '.package-lock.json')));
  return Object.entries(parsePackages(lockedPackages))
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.optional && !entry.devOptional)
    .every(([path, entry]) => existsSync(join(root, path)) && (entry.link || present[path]?.version === entry.version));
}

function parsePackages(text) {
  try {
    return JSON.parse(text ?? '{}').packages ?? {};
  } catch {
    return {};
  }
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function writeStamp() {
  try {
    writeFileSync(stamp, stampText());
  } catch {
    // Ignore a read-only checkout: without a stamp, the next start only checks the packages again.
  }
}

async function installAlone() {
  const release = await takeLock();
  try {
    if (!isInstalled()) await install();
  } finally {
    release();
  }
}

async function install() {
  const startedAt = Date.now();
  console.error('Installing dependencies (first run only)…');
  rmSync(stamp, { force: true });
  const { trouble, output } = await installWithNpm();
  if (trouble !== undefined) {
    return fail(`${output.trimEnd()}\n${trouble}. Check the network and that npm can reach its registry, then start again.`);
  }
  if (!hasRunnableNode()) {
    return fail(
      'npm left no working node_modules/.bin/node. If install scripts are switched off (npm config get ignore-scripts), ' +
        'run "npm rebuild node --ignore-scripts=false" in this folder.',
    );
  }
  writeStamp();
  console.error(`Installed dependencies in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
}

/**
 * npm ci refuses a lock file without the optional packages of other platforms, and a registry mirror that lacks those packages
 * leads to such a lock file. npm install uses the same locked versions and skips missing packages.
 */
async function installWithNpm() {
  const result = await runNpm(['ci']);
  if (!result.output.includes('EUSAGE')) return result;
  rmSync(modules, { recursive: true, force: true });
  return runNpm(['install', '--no-save']);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

/** Returns the failure, if any (`trouble`), and npm's output. Standard output stays free for the program that follows. */
function runNpm(args) {
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const command = [...npm.slice(1), ...args, '--no-audit', '--no-fund', '--loglevel=error'];
  return new Promise((done) => {
    let output = '';
    const child = spawn(npm[0], command, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
    child.on('error', (error) => done({ trouble: `npm could not be started (${error.message})`, output }));
    child.on('close', (code, signal) =>
      done({ trouble: code === 0 ? undefined : `npm ${args[0]} failed (${signal ?? `exit code ${code}`})`, output }),
    );
  });
}

/** Takes the lock, so that one installation runs at a time. The holder renews it, so an old lock was left by a dead process. */
async function takeLock() {
  const owner = `${process.pid} ${randomBytes(8).toString('hex')}`;
  for (let waiting = false; !tryLock(owner); waiting = true) {
    if (!waiting) console.error('Waiting for another process that is installing dependencies…');
    await new Promise((done) => setTimeout(done, 200));
  }
  const renewal = setInterval(() => utimesSync(lock, new Date(), new Date()), LOCK_RENEWAL_MS);
  return () => {
    clearInterval(renewal);
    if (readIfThere(lock) === owner) rmSync(lock, { force: true });
  };
}

function tryLock(owner) {
  try {
    writeFileSync(lock, owner, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeStaleLock();
    return false;
  }
}

/** Moves the lock away before deciding about it, so that two waiting processes cannot both remove it. */
function removeStaleLock() {
  if (!isStale(lock)) return;
  const taken = `${lock}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(lock, taken);
    if (!isStale(taken)) linkSync(taken, lock);
    rmSync(taken, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
}

function isStale(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return Date.now() - found.mtimeMs > LOCK_IS_STALE_AFTER_MS || (pid > 0 && !isAlive(pid));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
