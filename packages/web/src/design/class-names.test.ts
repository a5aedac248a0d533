import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { classesInCode } from './classes-in-code.ts';

const SOURCES = join(import.meta.dirname, '..');
const REPOSITORY = join(SOURCES, '../../..');
const SHORT_WORDS = ['by', 'in', 'no', 'on', 'qr', 'to'];
/** Words of layout and drawing that the documentation does not use. */
const LAYOUT_WORDS =
  `alert axis big brand breadcrumb burger byline clip compose contents detail excerpt expander fold grid heading hero icon
  initials ink inner isle lately legend loose marker meta mono mute offline outlined panels papers pictured prose radios rail range roomy
  segments sequence solid spark sticky strip subtle summary tabbed tabs tall tape toast tray trouble visually warnings`.split(/\s+/);

const read = (path: string) => readFileSync(path, 'utf8');
const styleSheets = globSync('**/*.css', { cwd: SOURCES });
const code = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
  .filter((file) => !file.includes('.test.'))
  .map((file) => ({ file, text: read(join(SOURCES, file)) }));

interface Selector {
  readonly text: string;
  /** True for a selector inside another rule. */
  readonly isNested: boolean;
}

function selectorsOf(css: string): Selector[] {
  const selectors: Selector[] = [];
  const open: boolean[] = [];
  let head = '';
  for (const character of css.replace(/\/\*[\s\S]*?\*\//g, '')) {
    if (character === '{') {
      const isAtRule = head.trim().startsWith('@');
      const isNested = open.includes(true);
      if (!isAtRule) selectors.push(...head.split(/,(?![^(]*\))/).map((selector) => ({ text: selector.trim(), isNested })));
      open.push(!isAtRule);
    }
    if (character === '}') open.pop();
    head = '{};'.includes(character) ? '' : head + character;
  }
  return selectors;
}

/** Every class of the style sheets with the files that name it. */
const defined = new Map<string, Set<string>>();
for (const file of styleSheets)
  for (const { text } of selectorsOf(read(join(SOURCES, file))))
    for (const [, name = ''] of text.matchAll(/\.([a-zA-Z][\w-]*)/g)) defined.set(name, (defined.get(name) ?? new Set()).add(file));

test('each CSS class is styled in one file only', () => {
  const owners = new Map<string, Set<string>>();
  for (const file of styleSheets) {
    for (const { text, isNested } of selectorsOf(read(join(SOURCES, file)))) {
      const name = isNested ? undefined : /^\.([\w-]+)$/.exec(text)?.[1];
      if (name !== undefined) owners.set(name, (owners.get(name) ?? new Set()).add(file));
    }
  }
  const shared = [...owners].filter(([, files]) => files.size > 1).map(([name, files]) => `.${name} in ${[...files].join(' and ')}`);
  assert.ok(owners.size > 100);
  assert.deepEqual(shared, []);
});

test('a class name consists of English words, joined by hyphens', () => {
  const documents = globSync(['*.md', 'docs/*.md', 'docs/{decisions,guides,security,friction}/**/*.md', 'packages/*/README.md'], {
    cwd: REPOSITORY,
  });
  const prose = documents.map((file) => read(join(REPOSITORY, file)).replace(/```[\s\S]*?```|`[^`]*`/g, '')).join(' ');
  const words = new Set([...LAYOUT_WORDS, ...(prose.toLowerCase().match(/[a-z]+/g) ?? [])]);
  const isWord = (part: string) => (part.length < 3 ? SHORT_WORDS.includes(part) : words.has(part));
  const odd = [...defined.keys()].filter((name) => name.length < 3 || !name.split('-').every(isWord));
  assert.deepEqual(odd, [], 'neither a word of the documents nor one of LAYOUT_WORDS');
});

test('a class that code sets has a style', () => {
  const unstyled = code.flatMap(({ file, text }) =>
    classesInCode(text)
      .names.filter((name) => !defined.has(name))
      .map((name) => `.${name} in ${file}`),
  );
  assert.deepEqual(unstyled, []);
});

test('a class that has a style is set by code', () => {
  const found = code.map(({ file, text }) => ({ folder: dirname(file), text, ...classesInCode(text) }));
  const used = new Set(found.flatMap(({ names }) => names));
  /** Whether code computes the name: a value in the folder of the style sheet, alone or after a prefix such as `fold-`. */
  const isComputed = (name: string, files: ReadonlySet<string>) =>
    found
      .filter(({ folder }) => [...files].some((file) => dirname(file) === folder))
      .some(({ text, prefixes }) =>
        ['', ...prefixes].some((prefix) => name.startsWith(prefix) && text.includes(`'${name.slice(prefix.length)}'`)),
      );
  assert.ok(used.size > 300);
  assert.deepEqual(
    [...defined]
      .filter(([name, files]) => !used.has(name) && !isComputed(name, files))
      .map(([name, files]) => `.${name} in ${[...files].join(', ')}`),
    [],
  );
});

test('classes in code include literals, both outcomes of a condition and prefixes, but not compared values', () => {
  const source = `<p className="lead meta"><b className={kind === 'move' ? 'panel' : undefined}><i className={classNames(\`fold-\${fold}\`, kind !== 'plain' && 'wide')}>`;
  assert.deepEqual(classesInCode(source), { names: ['lead', 'meta', 'panel', 'wide'], prefixes: ['fold-'] });
  assert.deepEqual(classesInCode('html`<p class="note">`'), { names: ['note'], prefixes: [] });
});
