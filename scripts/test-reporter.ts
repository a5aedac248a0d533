// A node:test reporter for scripts/test.ts: what matters of one test file, as lines of JSON.
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestReportLine =
  | { readonly type: 'failure'; readonly title: string; readonly error: string }
  | { readonly type: 'summary'; readonly passed: number; readonly failed: number; readonly skipped: number };

export default async function* reportAsLines(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') titles.splice(event.data.nesting, titles.length, event.data.name);
    const line = describe(event, titles);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

function describe({ type, data }: TestEvent, titles: readonly string[]): TestReportLine | undefined {
  if (type === 'test:summary') {
    const { tests, passed, skipped, todo } = data.counts;
    return { type: 'summary', passed, failed: tests - passed - skipped - todo, skipped: skipped + todo };
  }
  // Node reports an error that escapes after the end of its test only as a remark.
  if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) {
    return { type: 'failure', title: 'outside of a test', error: data.message };
  }
  if (type !== 'test:fail' || isOnlyAboutInnerTests(data.details.error)) return undefined;
  const title = [...titles.slice(0, data.nesting), data.name].join(' > ');
  return { type: 'failure', title, error: describeError(data.details.error.cause ?? data.details.error) };
}

/** A test that failed because one inside it did: that one is reported by itself. */
function isOnlyAboutInnerTests(error: Error): boolean {
  return 'failureType' in error && error.failureType === 'subtestsFailed';
}

/** The whole chain of causes, but not the connections, requests and the like that errors carry along. */
function describeError(error: unknown): string {
  const text = inspect(error, { depth: 0 });
  return error instanceof Error && error.cause !== undefined ? `${text}\ncaused by ${describeError(error.cause)}` : text;
}
