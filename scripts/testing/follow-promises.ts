// node:test follows every promise of the process to assign errors to tests. That costs a seventh of a market test's
// processor time, and is needed only while files declare their tests; later errors fail the process and are printed here.
// Import this file before `node:test` starts.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { inspect } from 'node:util';

const prototype: AsyncHook = Object.getPrototypeOf(createHook({}));
const { enable } = prototype;
const enabled: AsyncHook[] = [];

prototype.enable = function (this: AsyncHook): AsyncHook {
  enabled.push(this);
  return enable.call(this);
};

/** Stops it; call this when all files have declared their tests. */
export function stopFollowingPromises(): void {
  prototype.enable = enable;
  for (const hook of enabled.splice(0)) hook.disable();
  for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'] as const) process.on(event, print);
}

function print(error: unknown): void {
  process.stderr.write(`Outside of a test: ${inspect(error)}\n`);
}
