// `npm run pack [folder]`: makes the tarballs of contract, SDK and CLI that anyone can install. The default folder is artifacts/packages.
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { packPackages } from './packing/pack-packages.ts';

const folder = resolve(process.argv[2] ?? 'artifacts/packages');
mkdirSync(folder, { recursive: true });
for (const tarball of await packPackages(folder)) console.log(`${tarball} ${Math.ceil(statSync(tarball).size / 1024)} KB`);
