/**
 * `npm run release -- 0.2.0`: closes the changelog's Unreleased section, sets the version of every package, commits, and tags the commit.
 * `npm run release:check` comes first. Pushing the tag is yours: `git push --follow-tags`.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const UNRELEASED = '## Unreleased\n';

/** The changelog with its unreleased changes under the version, and an empty section above. */
export function closeUnreleased(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(UNRELEASED);
  if (start === -1) throw new Error('CHANGELOG.md has no section "Unreleased".');
  const after = changelog.slice(start + UNRELEASED.length);
  const next = after.search(/^## /m);
  if (after.slice(0, next === -1 ? undefined : next).trim() === '') throw new Error('CHANGELOG.md lists nothing under Unreleased.');
  return `${changelog.slice(0, start)}${UNRELEASED}\n## ${version} — ${date}\n${after}`;
}

export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [version, than].map((text) => VERSION.exec(text)?.slice(1).map(Number));
  if (ours === undefined || theirs === undefined)
    throw new Error(`A version is three numbers, such as 0.2.0: got ${version} after ${than}.`);
  const differs = ours.findIndex((part, index) => part !== theirs[index]);
  return differs !== -1 && (ours[differs] ?? 0) > (theirs[differs] ?? 0);
}

/** Sets `version` in a manifest, or of the project's own packages in the lock file, and changes no other byte. */
export function setVersion(json: string, from: string, to: string): string {
  return json.replaceAll(/("name": "(?:market|@market\/[\w-]+)",\s+"version": ")([^"]+)"/g, (all, before: string, version: string) =>
    version === from ? `${before}${to}"` : all,
  );
}

export function release(root: string, version: string, date: string): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')));
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const tag = `v${version}`;
  if (!isNewer(version, current)) throw new Error(`${version} is not newer than ${current}.`);
  if (git('status', '--porcelain') !== '') throw new Error('The work tree has changes. Commit them first.');
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists.`);
  edit('CHANGELOG.md', (text) => closeUnreleased(text, version, date));
  for (const file of ['package.json', 'package-lock.json', ...globSync('packages/*/package.json', { cwd: root })])
    edit(file, (text) => setVersion(text, current, version));
  git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Release ${version}`);
  return tag;
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  try {
    const tag = release(resolve(import.meta.dirname, '..'), version, new Date().toISOString().slice(0, 10));
    console.log(`Released ${version}: committed and tagged ${tag}. Push it with git push --follow-tags.`);
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
