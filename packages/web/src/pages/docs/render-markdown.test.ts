import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { guides } from './guides.ts';
import { renderMarkdown } from './render-markdown.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'guides');

test('headings, lists, tables, code and links become markup; the contents name the second level', () => {
  const { title, markup, sections } = renderMarkdown(
    '# A `guide`\n\nFirst *words*.\n\n## Part one\n1. one\n   - below\n2. two\n\n| a | b |\n|---|---|\n| `x` | [here](events.md#now) |\n\n```sh\ncurl <it>\n\n# same block\n```\n',
  );
  assert.equal(title, 'A guide');
  assert.deepEqual(sections, [{ id: 'part-one', title: 'Part one' }]);
  assert.match(markup, /<p>First <em>words<\/em>\.<\/p>/);
  assert.match(markup, /<ol><li>one<ul><li>below<\/li><\/ul><\/li><li>two<\/li><\/ol>/);
  assert.match(markup, /<td><code>x<\/code><\/td><td><a href="\/docs\/events#now">here<\/a><\/td>/);
  assert.match(markup, /<code>curl &lt;it&gt;\n\n# same block<\/code>/);
});

test('markup in a guide stays text, and only addresses of ours or https become links', () => {
  const { markup } = renderMarkdown('# x\n\n<script>alert(1)</script> [a](javascript:alert(1)) [b](//evil.example) [c](../decisions/x.md)');
  assert.doesNotMatch(markup, /<script|<a /);
});

test('every guide on the list that exists has a title, and no guide is missing from the list', () => {
  for (const file of globSync('*.md', { cwd: FOLDER })) {
    const name = basename(file, '.md');
    assert.ok(
      guides.some((guide) => guide.name === name),
      `${name} is not in guides.ts`,
    );
    assert.notEqual(renderMarkdown(readFileSync(join(FOLDER, file), 'utf8')).title, '', name);
  }
});
