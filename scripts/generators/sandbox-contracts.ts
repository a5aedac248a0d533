/** Compiles the sandbox's contracts. Compiling takes many seconds, so files with the hash of the present sources are kept. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  artifactFileOf,
  compileContracts,
  describeSources,
  renderArtifact,
  sourceLine,
} from '../../packages/sandbox/src/evm/contracts/compile.ts';
import type { Generator } from './generator.ts';

const FOLDER = 'packages/sandbox/src/evm/contracts/compiled';
const ROOT = join(import.meta.dirname, '../..');

export const sandboxContracts: Generator = {
  name: 'sandbox contracts',
  ownsFolder: FOLDER,
  async render() {
    const { names, hash } = await describeSources();
    const present = await Promise.all(names.map((name) => readArtifact(name)));
    const fresh = present.filter((text) => text?.includes(sourceLine(hash)));
    if (fresh.length === names.length) return Object.fromEntries(names.map((name, i) => [pathOf(name), fresh[i] ?? '']));
    const compiled = await compileContracts();
    return Object.fromEntries(compiled.map((contract) => [pathOf(contract.name), renderArtifact(contract, hash)]));
  },
};

function pathOf(name: string): string {
  return `${FOLDER}/${artifactFileOf(name)}`;
}

function readArtifact(name: string): Promise<string | undefined> {
  return readFile(join(ROOT, pathOf(name)), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
