import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFeatures } from './feature-table.ts';
import { replaceSection } from './marked-section.ts';

const folder = 'packages/server/src/features';

test('the feature table describes features and rooms by README or index.ts, and lists the features that product files import', () => {
  const table = renderFeatures(
    new Map([
      [`${folder}/boxes/index.ts`, "/** Boxes that\n * fold. More words. */\nimport { glue } from '../glue/index.ts';\n"],
      [`${folder}/boxes/commands/fold.ts`, "import { paper } from '../../paper/index.ts';\nimport '../index.ts';\n"],
      [`${folder}/boxes/lids/index.ts`, '/** Lids that fit. */\n'],
      [`${folder}/boxes/fold.test.ts`, "import '../secrets/index.ts';\n"],
      [`${folder}/glue/README.md`, '# Glue\n\nHolds things: boxes.\n'],
      [`${folder}/glue/index.ts`, '/** Not this. */\n'],
    ]),
  );
  assert.equal(
    table,
    [
      '| Feature, and its rooms | What it is | Uses |',
      '|---|---|---|',
      '| `boxes` | Boxes that fold | `glue`, `paper` |',
      '| · `lids` | Lids that fit | |',
      '| `glue` | Holds things: boxes | – |',
    ].join('\n'),
  );
});

test('a feature without a description, or a document without the marks of the feature table, is an error', () => {
  assert.throws(() => renderFeatures(new Map([[`${folder}/boxes/index.ts`, 'export {};\n']])), /boxes says nowhere/);
  assert.throws(() => replaceSection('# Architecture\n', 'features', '| a |'), /has lost its marks/);
});
