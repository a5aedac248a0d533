/** `npm run sbom [file]`: the bill of materials as CycloneDX JSON, made from the lock file. Without a file it goes to standard output. */
import { writeFileSync } from 'node:fs';
import { readLockedPackages } from './check-dependencies.ts';
import { type LockedPackage, type LockedPackages, nameOf } from './dependency-rules.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: 'required' | 'optional' | 'excluded';
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The same lock file gives the same document, byte for byte. */
export function makeSbom(packages: LockedPackages, name = 'market'): Sbom {
  const library = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
  const components = new Map(library.map(([path, entry]) => [purlOf(path, entry), describe(path, entry)]));
  const dependencies = library.map(([path, entry]) => ({ ref: purlOf(path, entry), dependsOn: neededBy(path, entry, packages) }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: root(name, packages['']?.version ?? '0.0.0') },
    components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: [...new Map(dependencies.map((one) => [one.ref, one])).values()].sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
}

function root(name: string, version: string): Component {
  const purl = `pkg:npm/${name}@${version}`;
  return { 'bom-ref': purl, type: 'application', name, version, purl };
}

function describe(path: string, entry: LockedPackage): Component {
  const { version = '', integrity, license, dev, optional } = entry;
  const purl = purlOf(path, entry);
  return {
    'bom-ref': purl,
    type: 'library',
    name: nameOf(path),
    version,
    purl,
    scope: dev === true ? 'excluded' : optional === true ? 'optional' : 'required',
    ...(integrity?.startsWith('sha512-') === true && {
      hashes: [{ alg: 'SHA-512' as const, content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}

function purlOf(path: string, { version = '' }: LockedPackage): string {
  return `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`;
}

/** What Node would load from there: the nearest node_modules on the way up. */
function neededBy(path: string, { dependencies, optionalDependencies }: LockedPackage, packages: LockedPackages): string[] {
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.flatMap((name) => {
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const candidate = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      const entry = packages[candidate];
      if (entry !== undefined) return entry.link === true ? [] : [purlOf(candidate, entry)];
      if (at === '') return [];
    }
  });
}

if (import.meta.main) {
  const text = `${JSON.stringify(makeSbom(readLockedPackages()), null, 2)}\n`;
  const [file] = process.argv.slice(2);
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}
