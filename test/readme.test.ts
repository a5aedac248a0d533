/** Statements of the README that need no running market. test/documents runs its examples. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';
import { readConfig } from '../packages/server/src/config.ts';

const ROOT = path.join(import.meta.dirname, '..');
let readme: string;

before(async () => {
  readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
});

test('the first two commands of the README are npm start and npm test', () => {
  const [first = ''] = /```sh\n(.*?)```/s.exec(readme)?.slice(1) ?? [];
  assert.deepEqual(
    first
      .trim()
      .split('\n')
      .map((line) => line.split('#')[0]?.trim()),
    ['npm start', 'npm test'],
  );
});

test('every button and title named in “Two minutes as a buyer” is used by the newcomer test', async () => {
  const section = readme.split('\n## Two minutes as a buyer\n')[1]?.split('\n## ')[0] ?? '';
  const names = [...section.matchAll(/\*([^*]+)\*/g)].map((match) => match[1] ?? '');
  assert.ok(names.length >= 8, section);
  const source = await readFile(path.join(ROOT, 'test/browser/newcomer.test.ts'), 'utf8');
  const walked = source.replaceAll('\\', '').replaceAll('${network}', 'Base');
  for (const name of names) assert.ok(walked.includes(name), `no step of the newcomer names “${name}”`);
});

test('the picture of the market is a PNG of less than 300 KB', async () => {
  const picture = await readFile(path.join(ROOT, 'docs/pictures/market.png'));
  assert.equal(picture.subarray(1, 4).toString('latin1'), 'PNG');
  assert.ok(picture.length < 300_000, `${picture.length} bytes`);
});

test('every file and folder the documents link to exists', async () => {
  for (const document of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions/README.md', 'test/browser/README.md']) {
    const text = await readFile(path.join(ROOT, document), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      await assert.doesNotReject(
        readFile(path.join(ROOT, path.dirname(document), target)).catch((error) => {
          if (error.code !== 'EISDIR') throw error;
        }),
        `${document} links to ${target}`,
      );
    }
  }
});

test('the second process of the README has the public address of the first', () => {
  const [, settings = ''] = /`(PORT=\S+ .*?)npm start`/.exec(readme) ?? [];
  const environment = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((setting) => setting.split('=')),
  );
  const [first, second] = [{}, environment].map((given) => readConfig({ environment: given, terminal: false }));
  assert.notEqual(second?.port, first?.port);
  assert.equal(second?.baseUrl, `http://${first?.host}:${first?.port}`, settings);
});
