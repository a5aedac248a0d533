import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { guides } from './guides.ts';
import { renderMarkdown } from './render-markdown.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'guides');

test('headings, lists, tables, code and links of a guide become markup; the table of contents lists the second level', () => {
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

test('HTML in a guide stays text, and only our own or https URLs become links', () => {
  const { markup } = renderMarkdown('# x\n\n<script>alert(1)</script> [a](javascript:alert(1)) [b](//evil.example) [c](../decisions/x.md)');
  assert.doesNotMatch(markup, /<script|<a /);
});

for (const hostile of [
  '<img src=x onerror=alert(1)>',
  'words <b onclick="alert(1)">bold</b>',
  '<!-- --><svg/onload=alert(1)>',
  '<javascript:alert(1)>',
  '![a](javascript:alert(1))',
  '![<img src=x>](https://evil.example/x.png)',
  '[a](javascript&#58;alert(1))',
  '[a](<java\nscript:alert(1)>)',
  '[a](data:text/html,x)',
  '[a](vbscript:x)',
  '[a](\\\\evil.example)',
  '[a][x]\n\n[x]: javascript:alert(1)',
  '[a](https://evil.example/"onmouseover="alert(1))',
  "[a](https://evil.example/ 'x\"><script>alert(1)</script>')",
  '```"><script>alert(1)</script>\nx\n```',
  '| <script> |\n|---|\n| <script>alert(1)</script> |',
  '> <script>alert(1)</script>',
  '# <script>alert(1)</script>\n\n## "><img src=x>',
])
  test(`a guide cannot inject markup or a foreign scheme: ${JSON.stringify(hostile)}`, () => {
    const { markup } = renderMarkdown(hostile);
    const tags = markup.match(/<[^>]*>/g) ?? [];
    for (const tag of tags)
      assert.match(
        tag,
        /^<(\/?(h1|h2|h3|p|em|b|code|pre|figure|div|ul|ol|li|table|thead|tbody|tr|th|td|a|del|br)|h[23] id="[a-z0-9-]*"|a href="(https:\/\/|\/(?!\/)|#)[^"<>\s]*"|figure class="code"|pre tabindex="0" role="group" aria-label="[^"]*"|div class="(scroll|note)"|table class="table"|th scope="col")>$/,
      );
  });

test('every guide in the folder is on the list and has a title', () => {
  for (const file of globSync('*.md', { cwd: FOLDER })) {
    const name = basename(file, '.md');
    assert.ok(
      guides.some((guide) => guide.name === name),
      `${name} is not in guides.ts`,
    );
    assert.notEqual(renderMarkdown(readFileSync(join(FOLDER, file), 'utf8')).title, '', name);
  }
});
