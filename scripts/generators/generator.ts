/** Renders files from a source of truth in the repository. */
export interface Generator {
  readonly name: string;
  /** A folder with generated files only; files that are no longer generated are removed. */
  readonly ownsFolder?: string;
  /** Contents by path relative to the repository. */
  render(): Promise<Readonly<Record<string, string>>>;
}
