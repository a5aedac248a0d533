// The server listens on a Unix socket only. Socket paths are limited to about a hundred bytes, so deep folders get a short one.
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveToAccount } from './postgres-account.ts';
import type { PostgresPlace } from './postgres-place.ts';

/** Only part of the socket's file name: nothing listens on the network. */
export const SOCKET_PORT = 5432;

const LONGEST_SOCKET_PATH = 100;

export function chooseSocketFolder(place: PostgresPlace): string {
  if (fits(place.run)) return place.run;
  const name = `market-pg-${createHash('sha256').update(place.folder).digest('hex').slice(0, 16)}`;
  const inTmpdir = join(tmpdir(), name);
  return fits(inTmpdir) ? inTmpdir : join('/tmp', name);
}

/** Makes the chosen folder ready, and notes it down for processes that attach later. */
export function prepareSocketFolder(place: PostgresPlace): string {
  const folder = chooseSocketFolder(place);
  if (folder !== place.run) prepareShortFolder(place, folder);
  writeFileSync(place.socketNote, folder);
  giveToAccount(place.account, place.socketNote);
  return folder;
}

export function readSocketFolder(place: PostgresPlace): string {
  return readFileSync(place.socketNote, 'utf8');
}

/** After the server has stopped. A folder that is in use again is not empty and stays. */
export function removeSocketFolder(place: PostgresPlace, folder: string): void {
  if (folder === place.run) return;
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['ENOTEMPTY', 'ENOENT'].includes(String(error.code)))) throw error;
  }
}

export function socketFile(folder: string): string {
  return join(folder, `.s.PGSQL.${SOCKET_PORT}`);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(socketFile(folder)) <= LONGEST_SOCKET_PATH;
}

function prepareShortFolder(place: PostgresPlace, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The temporary folder is open to everyone: what lies there under our name must really be ours.
  const found = lstatSync(folder);
  const ourUids = [process.getuid?.(), place.account?.uid];
  if (!found.isDirectory() || !ourUids.includes(found.uid)) {
    throw new Error(`${folder} belongs to another account. Remove it, or set DATA_DIR to a folder with a shorter path.`);
  }
  chmodSync(folder, 0o700);
  giveToAccount(place.account, folder);
}
