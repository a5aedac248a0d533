/** The manifest of a packed package: the workspace runs `src/*.ts`, the package has `dist/*.js` with types. */

export interface WorkspaceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

type Names = Readonly<Record<string, string>>;

/** Fields that packages take from the manifest of the repository. */
export interface RootManifest {
  /** Undefined until the operator chooses a licence. */
  readonly license?: string;
}

/** `replaced`: sources that the package replaces, because the originals need the rest of the repository. */
export function packedManifest(workspace: WorkspaceManifest, { license = 'UNLICENSED' }: RootManifest, replaced: Names = {}): object {
  const { name, version, description, engines, bin, imports, exports, dependencies = {} } = workspace;
  const compiled = (file: string): string => toJavaScript(replaced[file] ?? file);
  return {
    name,
    version,
    description,
    // UNLICENSED is npm's value for a package without a licence to use it.
    license,
    type: 'module',
    sideEffects: false,
    engines,
    files: ['dist'],
    ...(bin !== undefined && { bin: mapValues(bin, compiled) }),
    ...(imports !== undefined && { imports: mapValues(imports, compiled) }),
    ...(exports !== undefined && {
      exports: mapValues(exports, (file) => ({ types: compiled(file).replace(/\.js$/, '.d.ts'), default: compiled(file) })),
    }),
    // Packages of this repository are released together, so each names the others exactly.
    dependencies: mapValues(dependencies, (wanted) => (wanted === '*' ? version : wanted)),
  };
}

function toJavaScript(file: string): string {
  return file.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js');
}

function mapValues<T>(names: Names, change: (value: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, change(value)]));
}
