// A node:test reporter for a shard: writes the results of each file as lines of JSON.
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { readEndedSeconds } from './processor-time.ts';

export type ShardReportLine =
  | { readonly type: 'failure'; readonly file: string | undefined; readonly title: string; readonly error: string }
  | { readonly type: 'test'; readonly file: string; readonly result: 'passed' | 'failed' | 'skipped' }
  | { readonly type: 'file'; readonly file: string; readonly seconds: number; readonly processorSeconds: number }
  | { readonly type: 'summary' };

/** Top-level suites are the files of the shard (shard-entry.ts), which run one after another. */
export default async function* reportAsLines(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') titles.splice(event.data.nesting, titles.length, event.data.name);
    for (const line of describeEvent(event, titles)) yield `${JSON.stringify(line)}\n`;
  }
}

function* describeEvent({ type, data }: TestEvent, titles: readonly string[]): Generator<ShardReportLine> {
  const [file] = titles;
  if (type === 'test:summary') yield { type: 'summary' };
  // Node reports an error after the end of its test only as a diagnostic.
  if (type === 'test:diagnostic' && data.message.startsWith('Error: '))
    yield { type: 'failure', file, title: 'outside of a test', error: data.message };
  if ((type !== 'test:pass' && type !== 'test:fail') || file === undefined) return;
  if (type === 'test:fail' && !isOnlyAboutInnerTests(data.details.error)) {
    const title = data.nesting === 0 ? 'the file itself' : [...titles.slice(1, data.nesting), data.name].join(' > ');
    yield { type: 'failure', file, title, error: describeError(data.details.error.cause ?? data.details.error) };
  }
  if (data.nesting === 0) yield { type: 'file', file, seconds: data.details.duration_ms / 1000, processorSeconds: takeProcessorSeconds() };
  // Node reports no tests of a skipped suite, so count the suite.
  else if (data.details.type !== 'suite' || data.skip !== undefined) yield { type: 'test', file, result: resultOf(type, data) };
}

let counted = 0;

/** Processor time since the last call, of this process and its ended children. Loading all files counts for the first file. */
function takeProcessorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const total = (user + system) / 1e6 + (readEndedSeconds() ?? 0);
  const used = total - counted;
  counted = total;
  return used;
}

function resultOf(type: 'test:pass' | 'test:fail', { skip, todo }: { skip?: unknown; todo?: unknown }): 'passed' | 'failed' | 'skipped' {
  if (skip !== undefined || todo !== undefined) return 'skipped';
  return type === 'test:pass' ? 'passed' : 'failed';
}

/** Whether a test failed only because an inner test did, which is reported by itself. */
function isOnlyAboutInnerTests(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed';
}

/** Prints the chain of causes, without the connections, requests and other objects that errors hold. */
function describeError(error: unknown): string {
  const text = inspect(error, { depth: 0 });
  return error instanceof Error && error.cause !== undefined ? `${text}\ncaused by ${describeError(error.cause)}` : text;
}
