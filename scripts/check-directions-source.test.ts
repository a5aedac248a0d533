import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankNonCode, listImports } from './check-directions-source.ts';

test('the import scanner finds every form of import, with its line', () => {
  const source = [
    "import './side-effect.ts';",
    "import plain from 'plain';",
    'import type { A } from "types";',
    'import {',
    '  one, // from "a comment"',
    '  two,',
    "} from 'many-lines';",
    "export * from './all.ts';",
    "export { one as from } from './some.ts';",
    "type L = import('in-a-type').Logger;",
    "const late = await import('late');",
    "import data from './data.json' with { type: 'json' };",
  ].join('\n');
  assert.deepEqual(
    listImports(source).map(({ specifier, line }) => `${line} ${specifier}`),
    ['1 ./side-effect.ts', '2 plain', '3 types', '4 many-lines', '8 ./all.ts', '9 ./some.ts', '10 in-a-type', '11 late', '12 ./data.json'],
  );
});

test('the import scanner ignores text that only looks like an import', () => {
  const source = [
    "// import a from 'comment';",
    "/* import b from 'block';\n */",
    'const text = "import c from \'text\'";',
    "const template = `import d from 'template' ${`import('inner')`} and import('outer')`;",
    "const pattern = /import e from 'pattern'/;",
    "export const from = 'f';",
    'const meta = import.meta.url;',
    "thing.import('g');",
  ].join('\n');
  assert.deepEqual(listImports(source), []);
});

test('the import scanner reads code inside templates, and finds code after strings, regular expressions and divisions', () => {
  for (const source of [
    'x.split(/[\'"`]/); fetch()',
    'a / b; fetch() / c',
    'f(x) / 2; fetch()',
    "'it\\'s'; fetch()",
    'return /[/`]/; fetch()',
    '`${a}`; fetch()',
  ]) {
    assert.match(blankNonCode(source), /fetch\(\)/, source);
  }
  for (const source of ['`${a} fetch() ${b}`', "'fetch()'", '/fetch()/', '// fetch()', '`\\${fetch()}`']) {
    assert.doesNotMatch(blankNonCode(source), /fetch/, source);
  }
  assert.match(blankNonCode('`a ${{ x: { y: now() } }} b ${`c ${deep()}`}`; after()'), /now\(\).*deep\(\).*after\(\)/);
});

test('blankNonCode keeps positions and lines', () => {
  const source = "const a = 'text'; // comment\n/* one\ntwo */ const b = `x\n${a}\ny`;";
  const code = blankNonCode(source);
  assert.equal(code.length, source.length);
  assert.equal(code.split('\n').length, source.split('\n').length);
  assert.equal(code.indexOf('const b'), source.indexOf('const b'));
});
