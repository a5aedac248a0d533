import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { findDependencyProblems, readLockedPackages } from './check-dependencies.ts';
import { findForbiddenLicences, findLooseVersions, findUnknownScripts, findUnverifiable, licenceOf } from './dependency-rules.ts';
import { readAdvice } from './release-check.ts';

/** The fields of a CycloneDX document that these tests read. */
interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly purl: string; readonly hashes?: readonly { readonly content: string }[] }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const CHECKSUM = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;

test('I19: this repository passes its dependency gate', () => {
  assert.deepEqual(findDependencyProblems(), []);
});

test('I19: a dependency version that is not exact is refused', () => {
  for (const version of [
    '^1.2.3',
    '~1.2.3',
    '1.x',
    '*',
    'latest',
    '>=1.0.0',
    'git+ssh://git@example.com/a.git',
    'file:../a',
    'npm:b@^1.0.0',
  ])
    for (const part of ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'])
      assert.equal(findLooseVersions('package.json', { [part]: { a: version } }).length, 1, `${part} ${version}`);
  assert.equal(findLooseVersions('package.json', { overrides: { a: { b: '^1.0.0' } } }).length, 1);
  const fine = {
    dependencies: { a: '1.2.3', '@market/contract': '*' },
    devDependencies: { b: '1.0.0-beta.2', c: 'npm:d@1.0.0' },
    overrides: { a: '$a' },
  };
  assert.deepEqual(findLooseVersions('package.json', fine), []);
});

test('I19: an unlisted install script is refused, and so is a listed package without one', () => {
  const packages = { 'node_modules/a': { hasInstallScript: true }, 'node_modules/b/node_modules/@c/d': { hasInstallScript: true } };
  assert.deepEqual(findUnknownScripts(packages, { a: true, '@c/d': false }), []);
  assert.match(findUnknownScripts(packages, { a: true }).join(), /^node_modules\/b\/node_modules\/@c\/d runs a script/);
  assert.match(findUnknownScripts(packages, { a: true, '@c/d': false, e: true }).join(), /^allowScripts names e/);
});

test('I19: a package without checksum, and one with a download address, are refused', () => {
  assert.deepEqual(
    findUnverifiable({ '': {}, 'packages/web': {}, 'node_modules/@market/web': { link: true }, 'node_modules/a': { integrity: CHECKSUM } }),
    [],
  );
  assert.match(findUnverifiable({ 'node_modules/a': {} }).join(), /no sha512 checksum/);
  assert.match(findUnverifiable({ 'node_modules/a': { integrity: 'sha1-x' } }).join(), /no sha512 checksum/);
  assert.match(
    findUnverifiable({ 'node_modules/a': { integrity: CHECKSUM, resolved: 'https://example.com/a.tgz' } }).join(),
    /download address/,
  );
});

test('I19: a licence that is not on the list is refused, also as one of several that all apply', () => {
  const judge = (licence: string | undefined, name = 'a') => findForbiddenLicences([{ name, version: '1.0.0', licence }]).length;
  for (const licence of ['MIT', 'MIT OR GPL-3.0-only', '(MIT AND ISC)', 'Apache-2.0']) assert.equal(judge(licence), 0, licence);
  for (const licence of [
    undefined,
    'AGPL-3.0-only',
    'MIT AND GPL-3.0-only',
    'LGPL-3.0-or-later',
    'BUSL-1.1',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
  ])
    assert.equal(judge(licence), 1, licence);
  assert.equal(judge('Apache-2.0 AND LGPL-3.0-or-later', '@img/sharp-libvips-linux-x64'), 0);
  assert.equal(licenceOf({ licenses: [{ type: 'MIT' }, { type: 'GPL-2.0' }] }), 'MIT OR GPL-2.0');
});

test('I19: the bill of materials lists every locked package, with its checksum and dependencies', () => {
  const { stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const sbom = JSON.parse(stdout) as Sbom;
  assert.equal(sbom.bomFormat, 'CycloneDX');
  const purls = new Map(sbom.components.map((component) => [decodeURIComponent(component.purl), component]));
  for (const [path, { version, link }] of Object.entries(readLockedPackages())) {
    if (!path.includes('node_modules/') || link === true) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 13);
    const component = purls.get(`pkg:npm/${name}@${version}`);
    assert.match(component?.hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, path);
  }
  const fastify = sbom.dependencies.find(({ ref }) => ref.startsWith('fastify@'));
  assert.ok(fastify?.dependsOn.some((ref) => ref.startsWith('pino@')));
});

test('I19: advisories of high severity fail a release, and an unreachable registry never counts as clean', () => {
  const report = (severity: string) =>
    JSON.stringify({ vulnerabilities: { a: { name: 'a', severity, range: '<2' } }, metadata: { vulnerabilities: {} } });
  assert.deepEqual(readAdvice(report('critical')), { kind: 'vulnerable', packages: ['a <2: critical'] });
  assert.equal(readAdvice(report('high')).kind, 'vulnerable');
  assert.deepEqual(readAdvice(report('moderate')), { kind: 'clean', lesser: 1 });
  for (const output of [
    '',
    'npm error ENETUNREACH',
    '{"message":"405 Method Not Allowed","statusCode":405}',
    '{"error":{"code":"ENOLOCK"}}',
    'null',
    '{}',
  ])
    assert.equal(readAdvice(output).kind, 'unanswered', output);
});
