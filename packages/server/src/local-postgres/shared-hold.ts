// Shared ownership of one server. Every user holds a named pipe open; the supervisor stops the server when the last holder is gone. The
// kernel closes the pipe however a process dies, so no holder can be forgotten.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
const ASK_AGAIN_EVERY = 50;
const ANSWER_LIMIT_MS = 45_000;

export interface SharedHold {
  release(): void;
}

/**
 * Joins the holders of a supervised server; undefined when there is no supervisor to join. An open pipe alone proves nothing, because the
 * supervisor may just have decided to stop. So we send it a word and count only once it answers. It answers and watches for the end in one
 * loop, and sees no end while we hold the pipe.
 */
export async function joinHolders(pipe: string, answerFolder: string): Promise<SharedHold | undefined> {
  const descriptor = openForWriting(pipe);
  if (descriptor === undefined) return undefined;
  const word = randomBytes(8).toString('hex');
  const answer = join(answerFolder, answerName(word));
  try {
    if (await isAnswered(descriptor, pipe, word, answer)) return { release: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    rmSync(answer, { force: true });
  }
  closeSync(descriptor);
  return undefined;
}

/** The file by which the supervisor answers a word; the supervisor's script uses the same name. */
function answerName(word: string): string {
  return `joined.${word}`;
}

async function isAnswered(descriptor: number, pipe: string, word: string, answer: string): Promise<boolean> {
  const deadline = Date.now() + ANSWER_LIMIT_MS;
  for (let round = 0; Date.now() < deadline; round += 1) {
    if (round % ASK_AGAIN_EVERY === 0 && !send(descriptor, word)) return false;
    if (existsSync(answer)) return true;
    if (!hasSupervisor(pipe)) return false;
    await sleep(POLL_MS);
  }
  throw new Error(`The process that watches over PostgreSQL does not answer on ${pipe}. End it and start again.`);
}

/** The leading line break ends the unfinished word of a holder that died while writing. */
function send(descriptor: number, word: string): boolean {
  try {
    writeSync(descriptor, `\n${word}\n`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EPIPE') return false;
    throw error;
  }
}

export function hasSupervisor(pipe: string): boolean {
  const descriptor = openForWriting(pipe);
  if (descriptor !== undefined) closeSync(descriptor);
  return descriptor !== undefined;
}

/** A non-blocking open for writing fails when the pipe has no reader. */
function openForWriting(pipe: string): number | undefined {
  try {
    const descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    if (fstatSync(descriptor).isFIFO()) return descriptor;
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    if (['ENOENT', 'ENXIO'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/**
 * A non-blocking read distinguishes "no writer" (end of file) from "a writer, but no data" (EAGAIN). The byte it takes damages a word,
 * which its sender sends again.
 */
export function hasHolders(pipe: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    return readSync(descriptor, Buffer.alloc(1)) > 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) === 'EAGAIN') return true;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
