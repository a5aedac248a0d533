/** The code blocks of README and guides: found, written to files, compiled. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT: string = path.join(import.meta.dirname, '..', '..');

export interface Block {
  /** `README.md`, `docs/guides/events.md` */
  readonly document: string;
  readonly language: string;
  /** Its number among the blocks of this language in the document, from 1. */
  readonly number: number;
  readonly text: string;
}

export const nameOf = ({ document, language, number }: Block): string => `${document}, ${language} block ${number}`;

export async function readBlocks(): Promise<readonly Block[]> {
  const guides = (await readdir(path.join(ROOT, 'docs', 'guides'))).filter((name) => name.endsWith('.md')).sort();
  const documents = ['README.md', ...guides.map((name) => `docs/guides/${name}`)];
  const found = await Promise.all(documents.map(async (document) => blocksOf(document, await readFile(path.join(ROOT, document), 'utf8'))));
  return found.flat();
}

function blocksOf(document: string, text: string): readonly Block[] {
  const counts = new Map<string, number>();
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => {
    const number = (counts.get(language) ?? 0) + 1;
    counts.set(language, number);
    return { document, language, number, text: code };
  });
}

/** A block that begins with `// name.ts` becomes that file, so that others can import it. */
export function fileOf({ document, number, text }: Block): string {
  return /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `${path.basename(document, '.md').toLowerCase()}-${number}.ts`;
}

export interface ProgramFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

/** A reader's folder, with the packages installed and every TypeScript block as a file. */
export async function writePrograms(blocks: readonly Block[]): Promise<ProgramFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'market-guides-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const programs = blocks.filter(({ language }) => language === 'ts');
  await Promise.all(programs.map((block) => writeFile(path.join(folder, fileOf(block)), block.text)));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The strictest settings that a reader may have. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2025', 'esnext.iterator', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
};

/** The compiler's errors; empty if everything compiles. */
export async function compile({ folder }: ProgramFolder): Promise<string> {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }));
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return await promisify(execFile)(process.execPath, [compiler, '-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}
