/** Counts and draws the walk of a request through the files of one folder. */
import type { RecordedCall } from './record-calls.ts';

export interface Walk {
  readonly files: readonly string[];
  readonly returns: number;
  /** One line per entry of a file, indented below the file that it is entered from. */
  readonly lines: readonly string[];
}

interface Entry {
  readonly from: string;
  readonly to: string;
}

const OUTSIDE = '';

/**
 * A file counts once when one of its functions runs. It is entered from the file whose function called it, directly or through code outside
 * of the scope. The walk comes back where a file, having entered another, enters a further one: every place that calls counts once, however
 * often a loop passes it, and places that enter the same file one after the other count as one. A callback into a file that waits enters nothing.
 */
export function countWalk(calls: readonly RecordedCall[], isInScope: (file: string) => boolean): Walk {
  const entries = findEntries(calls, isInScope);
  const files = [...new Set(entries.map(({ to }) => to))];
  let returns = 0;
  for (const from of files) returns += Math.max(0, entries.filter((entry) => entry.from === from).length - 1);
  return { files, returns, lines: draw(entries) };
}

function findEntries(calls: readonly RecordedCall[], isInScope: (file: string) => boolean): Entry[] {
  const seen = new Set<string>();
  const last = new Map<string, string>();
  const entries: Entry[] = [];
  for (const call of calls) {
    if (!isInScope(call.file)) continue;
    const caller = findCaller(call, isInScope);
    const from = caller?.file ?? OUTSIDE;
    if (from === call.file || isWaiting(call)) continue;
    const place = call.from?.startsWith(`${from}:`) === true ? call.from : `${from}:${caller?.name}`;
    const key = `${place} ${call.file}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (last.get(from) === call.file) continue;
    last.set(from, call.file);
    entries.push({ from, to: call.file });
  }
  return entries;
}

function findCaller({ parent }: RecordedCall, isInScope: (file: string) => boolean): RecordedCall | undefined {
  for (let caller = parent; caller !== undefined; caller = caller.parent) if (isInScope(caller.file)) return caller;
  return undefined;
}

function isWaiting({ file, parent }: RecordedCall): boolean {
  for (let caller = parent; caller !== undefined; caller = caller.parent) if (caller.file === file) return true;
  return false;
}

/** What a file enters is drawn where the file is entered first. */
function draw(entries: readonly Entry[]): string[] {
  const numbers = new Map<string, number>();
  const lines: string[] = [];
  const enter = (to: string, depth: number): void => {
    const known = numbers.get(to);
    const number = known ?? numbers.size + 1;
    lines.push(
      `${known === undefined ? String(number).padStart(2) : ' →'} ${'  '.repeat(depth)}${to}${known === undefined ? '' : ` (${number})`}`,
    );
    if (known !== undefined) return;
    numbers.set(to, number);
    for (const entry of entries) if (entry.from === to) enter(entry.to, depth + 1);
  };
  for (const entry of entries) if (entry.from === OUTSIDE) enter(entry.to, 0);
  return lines;
}
