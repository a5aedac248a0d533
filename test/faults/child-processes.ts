/** Finds processes by their parent and command line; Linux only, like the tests that use it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processes started by `parent` with `words` in the command line. */
export function childrenOf(parent: number | undefined, words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent && read(pid, 'cmdline').includes(words))
    .map(Number);
}

function parentOf(pid: string): number {
  // The fields follow the program's name, which is in parentheses and may contain some.
  return Number(read(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);
}

/** Empty if the process has just ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
