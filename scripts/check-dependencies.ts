/** The dependency gate of the static checks: exact versions, checksums, known install scripts, allowed licences. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findForbiddenLicences,
  findLooseVersions,
  findUnknownScripts,
  findUnverifiable,
  type LicencedPackage,
  type LockedPackages,
  licenceOf,
  type Manifest,
  nameOf,
} from './dependency-rules.ts';

const ROOT = join(import.meta.dirname, '..');

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

export function readLockedPackages(): LockedPackages {
  return (readJson('package-lock.json') as { packages: LockedPackages }).packages;
}

export function findDependencyProblems(): string[] {
  const manifests = globSync(['package.json', 'packages/*/package.json', 'test/**/package.json'], {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules'),
  });
  const packages = readLockedPackages();
  const { allowScripts } = readJson('package.json') as Manifest;
  return [
    ...manifests.flatMap((file) => findLooseVersions(file, readJson(file) as Manifest)),
    ...findUnknownScripts(packages, allowScripts),
    ...findUnverifiable(packages),
    ...findForbiddenLicences(licencesOf(packages)),
  ];
}

/** Licences of installed packages; those of other platforms are not installed, so the lock file gives theirs. */
function licencesOf(packages: LockedPackages): LicencedPackage[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, { version = '', license }]) => {
      const manifest = join(path, 'package.json');
      const licence = existsSync(join(ROOT, manifest)) ? licenceOf(readJson(manifest) as Manifest, license) : license;
      return { name: nameOf(path), version, licence };
    });
}

if (import.meta.main) {
  const problems = findDependencyProblems();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
