/** One hash over all sources of the site: the same sources are never built twice. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const SOURCES = [
  'packages/web/src/**/*.{ts,tsx,css}',
  'packages/web/public/**/*.{svg,png}',
  'packages/web/package.json',
  'docs/guides/*.md',
  'packages/sdk/src/**/*.ts',
  'packages/contract/src/**/*.ts',
  'package-lock.json',
];

export function fingerprintSources(root: string): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((file) => !/\.test\.tsx?$/.test(file));
  for (const file of files.sort()) {
    hash.update(`${file.split(sep).join('/')}\0`);
    hash.update(readFileSync(join(root, file)));
    hash.update('\0');
  }
  return hash.digest('hex').slice(0, 20);
}
