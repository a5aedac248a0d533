import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeUnreleased, isNewer, release, setVersion } from './release.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- Orders can be paid.\n\n## 0.1.0 — 2026-11-16\n\n- The first.\n';

test('a release closes the unreleased section of the changelog and opens an empty one', () => {
  const closed = closeUnreleased(CHANGELOG, '0.2.0', '2026-11-19');
  assert.equal(closed, CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 — 2026-11-19\n'));
  assert.throws(() => closeUnreleased(closed, '0.3.0', '2026-11-20'), /nothing under Unreleased/);
  assert.throws(() => closeUnreleased('# Changelog\n', '0.2.0', '2026-11-19'), /no section/);
});

test('versions are compared by number, and anything else is refused', () => {
  assert.deepEqual(
    [isNewer('0.10.0', '0.9.9'), isNewer('1.0.0', '0.9.9'), isNewer('0.2.0', '0.2.0'), isNewer('0.1.9', '0.2.0')],
    [true, true, false, false],
  );
  for (const wrong of ['', 'v0.2.0', '0.2', '0.2.0-beta']) assert.throws(() => isNewer(wrong, '0.1.0'), /three numbers/, wrong);
});

test('a release sets the versions of our packages only', () => {
  const lock =
    '{ "name": "market",\n "version": "0.1.0", "x": { "name": "@market/web",\n "version": "0.1.0" }, "y": { "name": "other",\n "version": "0.1.0" } }';
  assert.equal(setVersion(lock, '0.1.0', '0.2.0').match(/0\.2\.0/g)?.length, 2);
  assert.match(setVersion(lock, '0.1.0', '0.2.0'), /"other",\n "version": "0.1.0"/);
});

test('a release is one commit with a tag, made from a clean work tree only', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    mkdirSync(join(root, 'packages', 'web'), { recursive: true });
    const manifest = (name: string): string => `{\n  "name": "${name}",\n  "version": "0.1.0"\n}\n`;
    const files = {
      'CHANGELOG.md': CHANGELOG,
      'package.json': manifest('market'),
      'package-lock.json': manifest('market'),
      'packages/web/package.json': manifest('@market/web'),
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
    git('init', '--quiet');
    for (const [key, value] of Object.entries({ 'user.name': 'Tests', 'user.email': 'tests@example.com' })) git('config', key, value);
    assert.throws(() => release(root, '0.2.0', '2026-11-19'), /Commit them first/);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'First');

    assert.equal(release(root, '0.2.0', '2026-11-19'), 'v0.2.0');
    assert.equal(git('describe'), 'v0.2.0');
    assert.equal(git('status', '--porcelain'), '');
    for (const file of ['package.json', 'package-lock.json', 'packages/web/package.json'])
      assert.match(readFileSync(join(root, file), 'utf8'), /"version": "0\.2\.0"/, file);
    assert.throws(() => release(root, '0.2.0', '2026-11-19'), /not newer/);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
