/** Something that writes files from a source of truth elsewhere in the repository. */
export interface Generator {
  readonly name: string;
  /** A folder whose every file is generated: files found there that no longer are get removed. */
  readonly ownsFolder?: string;
  /** Contents by path relative to the repository. */
  render(): Promise<Readonly<Record<string, string>>>;
}
