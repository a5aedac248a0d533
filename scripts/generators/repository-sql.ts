/** `packages/server/sql`: the statements of every repository function, so that reviews show their changes. */
import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ColumnsOf, type Parameter, readColumns, readParameters } from '../repository-sql/exported-functions.ts';
import { layOut } from '../repository-sql/lay-out.ts';
import { database, db, pool, record } from '../repository-sql/recording-database.ts';
import { anyValue, sampleOf } from '../repository-sql/sample-values.ts';
import type { Generator } from './generator.ts';

const SOURCE = fileURLToPath(new URL('../../packages/server/src/', import.meta.url));
const FOLDER = 'packages/server/sql';

export const repositorySql: Generator = { name: 'statements of repositories', ownsFolder: FOLDER, render: renderStatements };

async function renderStatements(): Promise<Record<string, string>> {
  const columnsOf = readColumns(await readFile(join(SOURCE, 'platform/db/schema.generated.ts'), 'utf8'));
  const files: string[] = [];
  for await (const file of glob('**/*repository.ts', { cwd: SOURCE })) files.push(file.split(sep).join('/'));
  const rendered: Record<string, string> = {};
  for (const file of files.sort()) {
    const text = await renderFile(file, columnsOf);
    if (text !== undefined) rendered[`${FOLDER}/${file.replace(/\.ts$/, '.sql')}`] = text;
  }
  return rendered;
}

/** Returns undefined for a file without statements. */
async function renderFile(file: string, columnsOf: ColumnsOf): Promise<string | undefined> {
  const parameters = readParameters(await readFile(join(SOURCE, file), 'utf8'));
  const exported: Record<string, unknown> = await import(join(SOURCE, file));
  const shown: string[] = [];
  const notShown: string[] = [];
  for (const [name, value] of Object.entries(exported).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const statements = await statementsOf(value, parameters.get(name) ?? [], columnsOf);
    if (statements.length > 0) shown.push(`-- ${name}\n${statements.map((statement) => `${layOut(statement)};\n`).join('')}`);
    else if (typeof value === 'function') notShown.push(name);
  }
  if (shown.length + notShown.length === 0) return undefined;
  const heading = `-- Generated from packages/server/src/${file} by \`npm run generate\`. Do not edit.\n`;
  return [heading, ...shown, ...(notShown.length === 0 ? [] : [`-- not shown: ${notShown.join(', ')}\n`])].join('\n');
}

/** Records the statements once with no rows and once with one row, because later statements often depend on it. */
async function statementsOf(value: unknown, parameters: readonly Parameter[], columnsOf: ColumnsOf): Promise<readonly string[]> {
  if (typeof value !== 'function') return await record([], () => value);
  const call = (): unknown => value(...parameters.map((parameter) => argumentFor(parameter, columnsOf)));
  const none = await record([], call);
  const one = await record([anyValue()], call);
  return [...new Set([...none, ...one])];
}

function argumentFor({ name, type }: Parameter, columnsOf: ColumnsOf): unknown {
  if (/\bPool\b/.test(type)) return pool;
  if (/\bDatabase\b/.test(type)) return database;
  if (/^(?:Db|Tx)\b/.test(type) || (type === '' && /^(?:db|tx)$/.test(name))) return db;
  return sampleOf(type, name, columnsOf);
}
