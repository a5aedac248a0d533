// What the checks of directions speak about.

export interface Directions {
  readonly scope: string;
  readonly packages: Readonly<Record<string, PackageRule>>;
  readonly layers: { readonly within: string; readonly order: readonly { readonly name: string; readonly paths: readonly string[] }[] };
  readonly features: { readonly folder: string; readonly door: string; readonly knowingNone: readonly string[] };
  /** Folders whose files import nothing else of their package. */
  readonly grounds: readonly string[];
  readonly bans: readonly Ban[];
  readonly isTest: (file: string) => boolean;
  readonly testSupport: string;
  /** Inside a package, but imported by tests and by one another only. */
  readonly testDoubles: string;
}

interface PackageRule {
  readonly packages: readonly string[];
  readonly entries: readonly string[];
  readonly npm: 'declared' | readonly string[];
  readonly nodeBuiltins: boolean;
}

export interface Ban {
  readonly rule: string;
  readonly within: string;
  readonly except: readonly RegExp[];
  readonly code: readonly RegExp[];
  /** Also searched in strings and comments, where SQL stands. */
  readonly text?: readonly RegExp[];
  readonly imports: readonly string[];
}

/** Path from the repository's root → text, of the sources and the package.json files. */
export type SourceTree = ReadonlyMap<string, string>;

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly detail: string;
}

/** One import. `target` is the path it leads to when it is relative. */
export interface Arrow {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  readonly target: string | undefined;
  /** `import(…)`: loaded later, so it may point back. */
  readonly isLazy: boolean;
}
