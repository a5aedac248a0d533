/**
 * Marked places at which a fault test lets the process die as if by kill -9. Armed by the setting CRASH_AT, which production
 * refuses; everywhere else reaching one does nothing.
 */
let armed: { name: string; remaining: number } | undefined;

/** `name` or `name:3` for the third time the place is reached. */
export function armCrashPoint(setting: string | undefined): void {
  const [name = '', count = '1'] = (setting ?? '').split(':');
  armed = name === '' ? undefined : { name, remaining: Number(count) };
}

export function reachCrashPoint(name: string): void {
  if (armed?.name !== name) return;
  armed.remaining -= 1;
  if (armed.remaining <= 0) process.kill(process.pid, 'SIGKILL');
}
