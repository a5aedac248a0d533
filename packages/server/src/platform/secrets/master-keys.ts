/**
 * Sources of master keys: the settings, a file of the data folder, or a program that asks a key service such as a cloud KMS. They are read
 * once, at the start; a holder that does not answer keeps the service from starting.
 */
import { execFile } from 'node:child_process';
import type { Config } from '../../config.ts';
import { masterKey } from '../../settings/setting-schemas.ts';
import { loadKeyFile } from './key-file.ts';

export interface MasterKeys {
  /** Seals and opens. */
  readonly current: Buffer;
  /** Only open texts sealed before a rotation. */
  readonly previous: readonly Buffer[];
}

/** The port for sources of master keys: one method to implement. */
export interface MasterKeyHolder {
  readKeys(): Promise<MasterKeys>;
}

export function openMasterKeyHolder({ masterKey: keys, dataDir }: Pick<Config, 'masterKey' | 'dataDir'>): MasterKeyHolder {
  const { current, previous, command } = keys;
  if (command !== undefined) return createCommandHolder(command, previous);
  return { readKeys: async () => ({ current: current ?? (await loadKeyFile(dataDir, 'master')), previous }) };
}

const COMMAND_MS = 30_000;

/** The first line the program prints is the current key, further lines are former ones. Nothing it prints is logged. */
export function createCommandHolder(command: string, previous: readonly Buffer[] = []): MasterKeyHolder {
  return {
    async readKeys() {
      const lines = (await run(command)).split('\n').map((line) => line.trim());
      const [current, ...former] = lines.filter((line) => line !== '').map(readKey);
      if (current === undefined) throw new Error('MASTER_KEY_COMMAND printed no key.');
      return { current, previous: [...former, ...previous] };
    },
  };
}

function readKey(text: string, line: number): Buffer {
  const parsed = masterKey.safeParse(text);
  if (!parsed.success)
    throw new Error(`MASTER_KEY_COMMAND printed something else than a key in line ${line + 1}: a key is 32 bytes as hex or base64.`);
  return parsed.data;
}

function run(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', command], { timeout: COMMAND_MS, maxBuffer: 64 * 1024 }, (error, stdout) => {
      // The library's error quotes the output, so report only the code.
      if (error !== null)
        reject(
          new Error(
            `MASTER_KEY_COMMAND failed (${error.killed ? 'no answer in 30 s' : `exit code ${error.code}`}). Without the master key nothing can be opened.`,
          ),
        );
      else resolve(stdout);
    });
  });
}
