// The server listens on a Unix socket only. Socket paths are limited to about a hundred bytes, so deep folders get a short one.
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveToAccount } from './postgres-account.ts';
import type { PostgresLayout } from './postgres-layout.ts';

/** Only part of the socket's file name: nothing listens on the network. */
export const SOCKET_PORT = 5432;

const LONGEST_SOCKET_PATH = 100;

export function chooseSocketFolder(layout: PostgresLayout): string {
  if (fits(layout.run)) return layout.run;
  const name = `market-pg-${createHash('sha256').update(layout.folder).digest('hex').slice(0, 16)}`;
  const inTmpdir = join(tmpdir(), name);
  return fits(inTmpdir) ? inTmpdir : join('/tmp', name);
}

/** Creates the chosen folder, and records it for processes that attach later. */
export function prepareSocketFolder(layout: PostgresLayout): string {
  const folder = chooseSocketFolder(layout);
  if (folder !== layout.run) prepareShortFolder(layout, folder);
  writeFileSync(layout.socketNote, folder);
  giveToAccount(layout.account, layout.socketNote);
  return folder;
}

export function readSocketFolder(layout: PostgresLayout): string {
  return readFileSync(layout.socketNote, 'utf8');
}

/** Call it after the server has stopped. A folder that is in use again is not empty and stays. */
export function removeSocketFolder(layout: PostgresLayout, folder: string): void {
  if (folder === layout.run) return;
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

function prepareShortFolder(layout: PostgresLayout, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Everyone may write to the temporary folder, so check that the entry with our name is really ours.
  const found = lstatSync(folder);
  const ourUids = [process.getuid?.(), layout.account?.uid];
  if (!found.isDirectory() || !ourUids.includes(found.uid)) {
    throw new Error(`${folder} belongs to another account. Remove it, or set DATA_DIR to a folder with a shorter path.`);
  }
  chmodSync(folder, 0o700);
  giveToAccount(layout.account, folder);
}
