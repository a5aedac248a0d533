/** Takes a CPU profile of another process of ours through Node's inspector. */
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LineTable, tableOf } from '../../scripts/bundling/line-table.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface ProfiledFunction {
  readonly name: string;
  readonly place: string;
  readonly selfMs: number;
}

export interface Profiler {
  start(): Promise<void>;
  stop(): Promise<{ readonly profile: string; readonly functions: readonly ProfiledFunction[]; readonly busyMs: number }>;
}

/** `log` is the output of the process, which was started with `--inspect`. */
export async function openProfiler(log: string): Promise<Profiler> {
  const address = /Debugger listening on (ws:\S+)/.exec(log)?.[1];
  if (address === undefined) throw new Error('the server does not listen for an inspector');
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    waiting.get(id)?.(result);
  });
  let number = 0;
  const ask = async <T>(method: string, params: object = {}): Promise<T> => {
    const id = ++number;
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    return (await answered) as T;
  };
  return {
    async start() {
      await ask('Profiler.enable');
      await ask('Profiler.setSamplingInterval', { interval: 200 });
      await ask('Profiler.start');
    },
    async stop() {
      const { profile } = await ask<{ profile: CpuProfile }>('Profiler.stop');
      socket.close();
      const functions = summarise(profile);
      return { profile: JSON.stringify(profile), functions, busyMs: functions.reduce((sum, { selfMs }) => sum + selfMs, 0) };
    },
  };
}

/** The profile's name for time without work. */
const WAITING = '(idle)';

/** Functions by self time (without callees), longest first. */
function summarise({ nodes, samples, timeDeltas }: CpuProfile): ProfiledFunction[] {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const tables = new Map<string, LineTable | undefined>();
  const sums = new Map<string, { name: string; place: string; selfMs: number }>();
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id);
    if (frame === undefined || frame.functionName === WAITING) continue;
    const key = `${frame.functionName} ${frame.url}:${frame.lineNumber}`;
    const sum = sums.get(key) ?? { name: frame.functionName || '(anonymous)', place: sourceOf(frame, tables), selfMs: 0 };
    sum.selfMs += (timeDeltas[index] ?? 0) / 1000;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.selfMs - a.selfMs);
}

/** The position in the source; bundled functions are traced back to their source. */
function sourceOf({ url, lineNumber }: ProfileNode['callFrame'], tables: Map<string, LineTable | undefined>): string {
  if (!url.startsWith('file:')) return url;
  const file = fileURLToPath(url);
  if (!tables.has(file)) tables.set(file, existsSync(tableOf(file)) ? JSON.parse(readFileSync(tableOf(file), 'utf8')) : undefined);
  const table = tables.get(file);
  const [source, line] = table?.lines[lineNumber] ?? [];
  return source === undefined ? `${relative(ROOT, file)}:${lineNumber + 1}` : `${table?.sources[source]}:${line}`;
}
