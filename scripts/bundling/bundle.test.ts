import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fingerprintSources } from '../../packages/web/src/build/fingerprint.ts';
import { currentBuild, findFreshBuild, keepBuild } from '../../packages/web/src/build/kept-builds.ts';
import { bundle } from './bundle.ts';
import { writeLineTables } from './line-table.ts';
import { buildServer, findServerBundle } from './server-bundle.ts';

const scratch = mkdtempSync(join(tmpdir(), 'market-bundle-test-'));
after(() => rmSync(scratch, { recursive: true }));

suite('the bundle of the server', () => {
  let folder: string;
  before(async () => {
    ({ folder } = await buildServer(() => undefined));
  });

  test('a second build of the same server sources finds the first bundle', async () => {
    assert.deepEqual(await buildServer(() => undefined), { folder, built: false });
    assert.equal(findServerBundle()?.program, join(folder, 'server.js'));
  });

  test('the server bundle has every program that the server starts, and starts none of them from its source', () => {
    const files = readdirSync(folder);
    for (const program of ['server.js', 'chains-process.js', 'demo-process.js', 'preview-process.js'])
      assert.ok(files.includes(program), `${program} in ${files}`);
    const code = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(join(folder, file), 'utf8'));
    assert.doesNotMatch(code.join(), /-process\.ts['"]\)/);
    assert.equal(files.filter((file) => file.endsWith('.map')).length, 0);
  });

  test('an import of the contract by name resolves to the file of the server bundle', () => {
    const file = findServerBundle()?.shared.get('@market/contract') ?? '';
    const program = `const { shareModules } = await import(${JSON.stringify(join(import.meta.dirname, 'share-modules.ts'))});
      shareModules(new Map([['@market/contract', ${JSON.stringify(file)}]]));
      const [byName, byFile] = await Promise.all([import('@market/contract'), import(${JSON.stringify(file)})]);
      console.log(byName === byFile, Object.keys(byName.operations.orders).includes('place'));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname, encoding: 'utf8' });
    assert.equal(said, 'true true\n');
  });

  test('the bundled preview program renders a picture with its native library', () => {
    const picture = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'pictures', 'market.png'));
    const preview = execFileSync(process.execPath, [join(folder, 'preview-process.js')], { input: picture, env: {} });
    assert.match(preview.toString('latin1', 0, 12), /^RIFF.{4}WEBP$/s);
  });
});

test('the stack trace of an error in a bundle names the source and its line', async () => {
  const source = join(scratch, 'thrower.ts');
  writeFileSync(
    source,
    'interface Never {\n  used: 1;\n}\n\nexport function fall(_how?: Never): void {\n  throw new TypeError("fell");\n}\n',
  );
  const entry = join(scratch, 'entry.ts');
  writeFileSync(
    entry,
    `import { fall } from './thrower.ts';\n\ntry {\n  fall();\n} catch (error) {\n  console.log((error as Error).stack);\n}\n`,
  );
  const folder = join(scratch, 'thrower');
  await bundle({ folder, entries: { entry }, sourceMaps: true });
  writeLineTables(folder, scratch);
  const stacks = join(import.meta.dirname, 'readable-stacks.ts');
  const program = `const { nameSourcesInStacks } = await import(${JSON.stringify(stacks)});
    nameSourcesInStacks(${JSON.stringify(folder)}, ${JSON.stringify(scratch)}); await import(${JSON.stringify(join(folder, 'entry.js'))});`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  assert.match(said, /^TypeError: fell\n {4}at fall \(/);
  assert.ok(said.includes(`at fall (${source}:6)`), said);
  assert.ok(said.includes(`at ${entry}:4`), said);
});

suite('kept builds', () => {
  const root = join(scratch, 'project');
  const sources = { root, folders: [{ folder: 'src', files: /\.ts$/ }], files: ['lock'] };
  const file = join(root, 'src', 'one.ts');
  const builds = {
    what: 'nothing',
    dist: join(root, 'dist'),
    sources,
    make: async (folder: string) => writeFileSync(join(folder, 'made'), ''),
  };
  const quiet = (): void => undefined;

  before(() => {
    mkdirSync(join(root, 'src'), { recursive: true });
    for (const path of [file, join(root, 'lock')]) writeFileSync(path, 'a');
  });

  test('a kept build is made anew for a changed source of the same size and time; the old source finds the first build again', async () => {
    const first = await keepBuild(builds, quiet);
    assert.equal(first.built, true);
    assert.equal(findFreshBuild(builds), first.folder);
    const long = new Date(2020, 1, 1);
    writeFileSync(file, 'b');
    utimesSync(file, long, long);
    assert.equal(findFreshBuild(builds), undefined);
    const second = await keepBuild(builds, quiet);
    writeFileSync(file, 'c');
    utimesSync(file, long, long);
    assert.notEqual(second.folder, first.folder);
    assert.equal(findFreshBuild(builds), undefined, 'only the time of the status change differs');
    writeFileSync(file, 'a');
    assert.deepEqual(await keepBuild(builds, quiet), { folder: first.folder, built: false });
    assert.equal(findFreshBuild(builds), first.folder);
  });

  test('a failed build leaves no files behind and keeps the previous build', async () => {
    const { folder } = await keepBuild(builds, quiet);
    writeFileSync(file, 'broken');
    const make = async (): Promise<void> => {
      throw new Error('no such module');
    };
    await assert.rejects(keepBuild({ ...builds, make }, quiet), /no such module/);
    assert.deepEqual(
      readdirSync(builds.dist).filter((name) => name.startsWith('building-')),
      [],
    );
    assert.equal(currentBuild(builds.dist), folder);
    assert.equal(findFreshBuild(builds), undefined);
  });

  test('the fingerprint of sources ignores tests, and is the same without a memory folder', () => {
    const memory = join(root, 'memory');
    const before = fingerprintSources(sources, memory);
    writeFileSync(join(root, 'src', 'one.test.ts'), 'x');
    assert.equal(fingerprintSources(sources, memory), before);
    assert.equal(fingerprintSources(sources, join(root, 'lock', 'not-a-folder')), before);
    assert.ok(existsSync(memory));
  });
});
