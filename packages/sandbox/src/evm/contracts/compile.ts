// Compiles the Solidity sources of this folder into TypeScript files for the node and its users. Only the generator and a test run it.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';

const require = createRequire(import.meta.url);

// No metadata in the bytecode: a changed comment must not change a contract's code hash.
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1000 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'storageLayout'] } },
};

const LIBRARY = '@openzeppelin/contracts';

export interface CompiledContract {
  /** The name of the Solidity file and of the contract in it. */
  readonly name: string;
  readonly abi: unknown;
  readonly creationCode: string;
  readonly runtimeCode: string;
  /** The storage slot of every state variable. */
  readonly slots: Readonly<Record<string, number>>;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompilerContract>>>>;
}

interface CompilerContract {
  readonly abi: unknown;
  readonly evm: { readonly bytecode: { readonly object: string }; readonly deployedBytecode: { readonly object: string } };
  readonly storageLayout: { readonly storage: readonly { readonly label: string; readonly slot: string }[] };
}

/** The sources to compile. The hash changes whenever a new compilation could give another result. */
export async function describeSources(): Promise<{ readonly names: readonly string[]; readonly hash: string }> {
  const sources = await readSources();
  const text = JSON.stringify([sources, SETTINGS, versionOf('solc'), versionOf(LIBRARY)]);
  return { names: listContracts(sources).map((file) => basename(file, '.sol')), hash: createHash('sha256').update(text).digest('hex') };
}

/** Compiles all contracts; takes many seconds, because the compiler is WebAssembly. */
export async function compileContracts(): Promise<CompiledContract[]> {
  const { default: solc } = await import('solc');
  const sources = await readSources();
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const imports = new Map(await readLibrary());
  const find = (path: string) => (imports.has(path) ? { contents: imports.get(path) } : { error: `${path} is not in ${LIBRARY}` });
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: find }));
  if (output.errors !== undefined && output.errors.length > 0) {
    throw new Error(`The contracts do not compile cleanly:\n${output.errors.map((error) => error.formattedMessage).join('\n')}`);
  }
  return listContracts(sources).map((file) => readContract(output, file));
}

function readContract(output: CompilerOutput, file: string): CompiledContract {
  const name = basename(file, '.sol');
  const contract = output.contracts[file]?.[name];
  if (contract === undefined) throw new Error(`${file} has no contract ${name}.`);
  return {
    name,
    abi: contract.abi,
    creationCode: `0x${contract.evm.bytecode.object}`,
    runtimeCode: `0x${contract.evm.deployedBytecode.object}`,
    slots: Object.fromEntries(contract.storageLayout.storage.map(({ label, slot }) => [label, Number(slot)])),
  };
}

/** The line of an artifact with the hash of its sources. */
export function sourceLine(sourceHash: string): string {
  return `// sources ${sourceHash}`;
}

export function artifactFileOf(name: string): string {
  return `${name.replace(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.generated.ts`;
}

/** The ABI is a constant so that clients infer types from it. */
export function renderArtifact(contract: CompiledContract, sourceHash: string): string {
  const camel = contract.name.charAt(0).toLowerCase() + contract.name.slice(1);
  const { name: _, abi, ...rest } = contract;
  return [
    `// Generated from ${contract.name}.sol by \`npm run generate\`. Do not edit.`,
    sourceLine(sourceHash),
    `export const ${camel} = {`,
    `  abi: ${JSON.stringify(abi)},`,
    ...Object.entries(rest).map(([key, value]) => `  ${key}: ${JSON.stringify(value)},`),
    '} as const;',
    '',
  ].join('\n');
}

/** Lists the contracts without abstract ones. */
function listContracts(sources: Readonly<Record<string, { readonly content: string }>>): string[] {
  return Object.keys(sources).filter((file) => !sources[file]?.content.includes(`abstract contract ${basename(file, '.sol')} `));
}

async function readSources(): Promise<Record<string, { content: string }>> {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.sol')).sort();
  const entries = await Promise.all(
    files.map(async (file) => [file, { content: await readFile(`${import.meta.dirname}/${file}`, 'utf8') }] as const),
  );
  return Object.fromEntries(entries);
}

/** Reads all library sources in advance, because the compiler asks for imports synchronously. */
async function readLibrary(): Promise<[string, string][]> {
  const root = require.resolve('@openzeppelin/contracts/package.json').slice(0, -'package.json'.length);
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.sol'));
  return Promise.all(files.map(async (file): Promise<[string, string]> => [`${LIBRARY}/${file}`, await readFile(root + file, 'utf8')]));
}

function versionOf(name: string): string {
  const { version }: { version: string } = require(`${name}/package.json`);
  return version;
}
