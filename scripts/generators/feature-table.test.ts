import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFeatures } from './feature-table.ts';
import { replaceSection } from './marked-section.ts';

const folder = 'packages/server/src/features';

test('a feature is described by its README or index.ts, and uses the features its non-test files import', () => {
  const table = renderFeatures(
    new Map([
      [`${folder}/boxes/index.ts`, "/** Boxes that\n * fold. More words. */\nimport { glue } from '../glue/index.ts';\n"],
      [`${folder}/boxes/commands/fold.ts`, "import { paper } from '../../paper/index.ts';\nimport '../index.ts';\n"],
      [`${folder}/boxes/fold.test.ts`, "import '../secrets/index.ts';\n"],
      [`${folder}/glue/README.md`, '# Glue\n\nHolds things: boxes.\n'],
      [`${folder}/glue/index.ts`, '/** Not this. */\n'],
    ]),
  );
  assert.equal(
    table,
    '| Feature | What it is | Uses |\n|---|---|---|\n| `boxes` | Boxes that fold | `glue`, `paper` |\n| `glue` | Holds things: boxes | – |',
  );
});

test('a feature without a description, or a document without its marks, is an error', () => {
  assert.throws(() => renderFeatures(new Map([[`${folder}/boxes/index.ts`, 'export {};\n']])), /boxes says nowhere/);
  assert.throws(() => replaceSection('# Architecture\n', 'features', '| a |'), /has lost its marks/);
});
