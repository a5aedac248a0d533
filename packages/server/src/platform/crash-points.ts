/**
 * Marked points where a fault test lets the process die as if by kill -9. The setting CRASH_AT arms one; production refuses that setting.
 * Unarmed points do nothing.
 */
let onReached: ((name: string) => void) | undefined;

/** `name`, or `name:3` for the third time the point is reached. */
export function armCrashPoint(setting: string | undefined): void {
  onReached = setting === undefined || setting === '' ? undefined : dieAt(setting, () => process.kill(process.pid, 'SIGKILL'));
}

/** Calls `die` when the point of the setting is reached. */
export function dieAt(setting: string, die: () => void): (name: string) => void {
  const [wanted, count = '1'] = setting.split(':');
  let remaining = Number(count);
  return (name) => {
    if (name !== wanted) return;
    remaining -= 1;
    if (remaining <= 0) die();
  };
}

/** For tests that run several servers in one process: `watch` is called at every point. */
export function watchCrashPoints(watch: (name: string) => void): void {
  onReached = watch;
}

export function reachCrashPoint(name: string): void {
  onReached?.(name);
}
