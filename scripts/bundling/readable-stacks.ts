/** Makes stack traces of a bundle name sources and their lines. The tables are read only when a trace is read. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type LineTable, tableOf } from './line-table.ts';

export function nameSourcesInStacks(folder: string, root: string): void {
  const inBundle = `${pathToFileURL(folder).href}/`;
  const tables = new Map<string, LineTable | undefined>();
  const nameSource = (place: string, url: string, line: string): string => {
    const file = fileURLToPath(url);
    if (!tables.has(file)) tables.set(file, readTable(file));
    const table = tables.get(file);
    const [source, sourceLine] = table?.lines[Number(line) - 1] ?? [];
    const name = source === undefined ? undefined : table?.sources[source];
    return name === undefined ? place : `${join(root, name)}:${sourceLine}`;
  };
  Error.prepareStackTrace = (error, frames) => {
    const trace = frames.map((frame) => `\n    at ${frame}`).join('');
    const readable = trace.includes(inBundle) ? trace.replaceAll(/(file:[^\s()]+\.js):(\d+):\d+/g, nameSource) : trace;
    return `${headOf(error)}${readable}`;
  };
}

function readTable(file: string): LineTable | undefined {
  const table = tableOf(file);
  return existsSync(table) ? (JSON.parse(readFileSync(table, 'utf8')) as LineTable) : undefined;
}

/** The head of a stack trace. Any value can be thrown, even one that throws when its name is read. */
function headOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return '<error>';
  }
}
