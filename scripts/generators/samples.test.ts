import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutSample } from './samples.ts';

const SOURCE = "import 'a';\nconst list = {\n  // sample: one\n  a: {\n    b: 1,\n  },\n  // end of sample\n};\n";

test('a code sample is the marked part of its file without its indentation, or the whole file', () => {
  assert.equal(cutSample(SOURCE, 'one'), 'a: {\n  b: 1,\n},');
  assert.equal(cutSample("import 'a';\n", undefined), "import 'a';");
});

test('a code sample without its marks is an error', () => {
  assert.throws(() => cutSample(SOURCE, 'two'), /no sample "two"/);
});
