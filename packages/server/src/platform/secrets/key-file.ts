/** A random 32-byte key in a file of the data folder. The first process creates it, later ones read it. For the sandbox only. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';

export async function loadKeyFile(dataDir: string, name: string): Promise<Buffer> {
  const file = path.join(dataDir, 'keys', `${name}.key`);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    // `wx`: of two processes starting at once exactly one writes, and the other reads that key.
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await handle.sync();
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return await readKey(file);
}

async function readKey(file: string): Promise<Buffer> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex');
    if (key.length === 32) return key;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${file} does not hold a 32-byte key in hex. Restore it from a backup, or remove the data folder to begin anew.`);
}
