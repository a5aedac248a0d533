/** Rules for dependencies before they are installed or shipped. Each rule returns sentences about its violations. */

export interface Manifest {
  readonly name?: string;
  readonly license?: unknown;
  /** The field of old manifests. */
  readonly licenses?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: unknown;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** An exact version `1.2.3`, also of an aliased package. */
const EXACT = /^(?:npm:[@a-z0-9/._-]+@)?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Finds versions that are not exact; packages of this repository name each other by `*`. */
export function findLooseVersions(file: string, manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
  const wanted = [dependencies, devDependencies, optionalDependencies].flatMap((part) => Object.entries(part ?? {}));
  return [...wanted, ...overriddenVersions(overrides)]
    .filter(([name, version]) => !EXACT.test(version) && !(name.startsWith('@market/') && version === '*') && !version.startsWith('$'))
    .map(([name, version]) => `${file}: ${name} "${version}" is no exact version. Write one such as "1.2.3".`);
}

function overriddenVersions(overrides: unknown): [string, string][] {
  return Object.entries((overrides ?? {}) as Record<string, unknown>).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : overriddenVersions(value),
  );
}

/** Finds packages with install scripts that `allowScripts` of the root manifest, which npm obeys, does not list. */
export function findUnknownScripts(packages: LockedPackages, allowScripts: Manifest['allowScripts'] = {}): string[] {
  const named = new Set(Object.keys(allowScripts));
  const running = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript === true);
  const unknown = running
    .filter(([path]) => !named.has(nameOf(path)))
    .map(([path]) => `${path} runs a script when it is installed. Read it, then name it in allowScripts of package.json: true or false.`);
  const needless = [...named]
    .filter((name) => !running.some(([path]) => nameOf(path) === name))
    .map((name) => `allowScripts names ${name}, which runs no script. Remove the line.`);
  return [...unknown, ...needless];
}

/** Finds registry packages without a checksum or with a download address. */
export function findUnverifiable(packages: LockedPackages): string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .flatMap(([path, { integrity, resolved }]) => [
      ...(integrity?.startsWith('sha512-') === true ? [] : [`${path} has no sha512 checksum in package-lock.json.`]),
      ...(resolved === undefined
        ? []
        : [`${path} names a download address in package-lock.json. Install with the .npmrc of this repository.`]),
    ]);
}

/** Licences that allow use, change and sale without terms for our own code. */
const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'PostgreSQL',
  'Unlicense',
]);

/** Licences with terms, and the packages for which a person has reviewed them. */
const LICENCES_BY_PACKAGE: readonly { readonly licence: string; readonly packages: RegExp; readonly why: string }[] = [
  { licence: 'LGPL-3.0-or-later', packages: /^@img\/sharp-/, why: 'libvips, loaded as a library of its own and not changed' },
  { licence: 'MPL-2.0', packages: /^(?:lightningcss(?:-.+)?|axe-core)$/, why: 'used unchanged, for building and testing only' },
];

export interface LicencedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
}

export function findForbiddenLicences(packages: readonly LicencedPackage[]): string[] {
  return packages
    .filter(({ name, licence }) => licence === undefined || !isAllowed(licence, name))
    .map(
      ({ name, version, licence }) =>
        `${name} ${version} has the licence ${licence ?? '(none)'}, which scripts/dependency-rules.ts does not allow.`,
    );
}

/** Whether a licence expression is allowed: `A OR B` needs one of them, `A AND B` all. */
function isAllowed(expression: string, name: string): boolean {
  const plain = expression.replace(/[()]/g, ' ').trim();
  if (plain.includes(' OR ')) return plain.split(' OR ').some((part) => isAllowed(part, name));
  return plain.split(' AND ').every((part) => {
    const licence = part.trim();
    return LICENCES.has(licence) || LICENCES_BY_PACKAGE.some((one) => one.licence === licence && one.packages.test(name));
  });
}

/** Reads the licence of a manifest, which may be a text, an object, or a list of objects. */
export function licenceOf({ license, licenses }: Pick<Manifest, 'license' | 'licenses'>, fallback?: unknown): string | undefined {
  const value = license ?? licenses ?? fallback;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((one) => licenceOf({ license: one })).join(' OR ');
  if (value !== null && typeof value === 'object' && 'type' in value) return String(value.type);
  return undefined;
}

/** `node_modules/a/node_modules/@b/c` → `@b/c` */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
