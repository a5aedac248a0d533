// Whether a process still runs. A zombie counts as ended: in containers there may be no parent that reaps it.
import { existsSync, readFileSync } from 'node:fs';

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs under another account.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !existsSync('/proc/self/stat') || isRunningAccordingToProc(pid);
}

function isRunningAccordingToProc(pid: number): boolean {
  try {
    // The state follows the program's name, which is in parentheses and may itself contain parentheses.
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
