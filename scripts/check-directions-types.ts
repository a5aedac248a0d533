// Types of the checks of directions.

export interface Directions {
  readonly scope: string;
  readonly packages: Readonly<Record<string, PackageRule>>;
  readonly layers: { readonly within: string; readonly order: readonly { readonly name: string; readonly paths: readonly string[] }[] };
  readonly features: { readonly folder: string; readonly door: string; readonly knowingNone: readonly string[] };
  /** Base folders, whose files import nothing else of their package. */
  readonly grounds: readonly string[];
  readonly bans: readonly Ban[];
  readonly isTest: (file: string) => boolean;
  readonly testSupport: string;
  /** Folder of test doubles inside a package; only tests and the doubles themselves import them. */
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
  /** Patterns that are also searched in strings, which hold SQL, and in comments. */
  readonly text?: readonly RegExp[];
  readonly imports: readonly string[];
}

/** Sources and package.json files: path from the repository's root → text. */
export type SourceTree = ReadonlyMap<string, string>;

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly detail: string;
}

/** One import. `target` is the resolved path of a relative import. */
export interface Arrow {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  readonly target: string | undefined;
  /** True for `import(…)`, which is loaded later and may import in the other direction. */
  readonly isLazy: boolean;
}
