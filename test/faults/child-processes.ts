/** Finds processes by their parent and by what they run; Linux only, like the tests that ask. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processes that `parent` started and whose command line holds `words`. */
export function childrenOf(parent: number | undefined, words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent && read(pid, 'cmdline').includes(words))
    .map(Number);
}

function parentOf(pid: string): number {
  // The fields follow the program's name, which is in parentheses and may itself contain some.
  return Number(read(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);
}

/** Empty when the process has just ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
