import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listErrors, operationList, operationsOf } from '@market/contract';
import { html, prose } from './html.ts';
import { type Page, renderHomePage, renderNotFoundPage, renderReferencePage, sitePaths } from './index.ts';

const service = { serviceName: 'Mercato', baseUrl: 'http://127.0.0.1:4020' };
const reference = renderReferencePage({ ...service, profile: 'sandbox' });
const pages: Record<string, Page> = {
  reference,
  home: renderHomePage({ ...service, profile: 'sandbox' }),
  'not found': renderNotFoundPage({ serviceName: 'Mercato', path: '/nowhere' }),
};

function idsOf(page: Page): string[] {
  return [...page.html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? '');
}

/** Markup without the inlined texts, which may hold anything. */
function markupOf(page: Page): string {
  return [...page.inlineScripts, ...page.inlineStyles].reduce((text, inlined) => text.replace(inlined, () => ''), page.html);
}

test('text put into a template is escaped, markup is not, lists are joined, undefined is nothing', () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  assert.equal(html`<p title="${hostile}">${hostile}</p>`.text.includes('<img'), false);
  assert.equal(html`${hostile}`.text, '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  assert.equal(html`${[html`<b>${1}</b>`, 'a<']}${undefined}`.text, '<b>1</b>a&lt;');
  assert.equal(prose('Send `<b>` now').text, 'Send <code>&lt;b&gt;</code> now');
});

test('a hostile service name, address or path stays text', () => {
  const hostile = `"><script>alert(1)</script>`;
  const rendered = [
    renderReferencePage({ serviceName: hostile, baseUrl: hostile }),
    renderHomePage({ serviceName: hostile, baseUrl: hostile, profile: 'sandbox' }),
    renderNotFoundPage({ serviceName: hostile, path: hostile }),
  ];
  for (const page of rendered) {
    assert.equal(page.html.includes(hostile), false);
    assert.equal(page.html.match(/<script>/g)?.length ?? 0, page.inlineScripts.length);
  }
});

test('a page holds exactly the inline texts it names, and nothing else a strict policy would refuse', () => {
  for (const [name, page] of Object.entries(pages)) {
    const inlined = (tag: string) => [...page.html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(([, text]) => text);
    assert.deepEqual(inlined('script'), page.inlineScripts, name);
    assert.deepEqual(inlined('style'), page.inlineStyles, name);
    assert.doesNotMatch(markupOf(page), /\sstyle=|\son\w+=|javascript:/, name);
  }
});

test('a page asks for nothing from elsewhere', () => {
  for (const [name, page] of Object.entries(pages)) {
    assert.doesNotMatch(markupOf(page), /\ssrc=|<link rel="(?!icon" href="data:,)/, name);
    for (const style of page.inlineStyles) assert.doesNotMatch(style, /@import|url\(/, name);
    for (const [, href] of markupOf(page).matchAll(/href="([^"]*)"/g)) assert.match(href ?? '', /^(\/|#|data:,$)/, name);
  }
});

test('links inside a page arrive, and ids are unique', () => {
  for (const [name, page] of Object.entries(pages)) {
    const ids = idsOf(page);
    assert.equal(new Set(ids).size, ids.length, name);
    for (const [, target] of markupOf(page).matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target ?? ''), `${name}: #${target}`);
    for (const [, label] of markupOf(page).matchAll(/aria-labelledby="([^"]*)"/g))
      assert.ok(ids.includes(label ?? ''), `${name}: ${label}`);
  }
});

test('the home page links into the reference where the reference has a place', () => {
  const targets = [...(pages['home']?.html ?? '').matchAll(/href="\/reference#([^"]*)"/g)].map(([, target]) => target ?? '');
  assert.ok(targets.length > 0);
  for (const target of targets) assert.ok(idsOf(reference).includes(target), target);
});

test('a page has one main part, one first heading, and headings that never skip a level', () => {
  for (const [name, page] of Object.entries(pages)) {
    const levels = [...markupOf(page).matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
    assert.equal(levels.filter((level) => level === 1).length, 1, name);
    levels.reduce((before, level) => {
      assert.ok(level <= before + 1, `${name}: h${before} then h${level}`);
      return level;
    }, 0);
    assert.equal(markupOf(page).match(/<main /g)?.length, 1, name);
    assert.match(markupOf(page), /<a class="skip" href="#main">/, name);
  }
});

test('the reference shows every operation, its request line, and every error code', () => {
  const ids = idsOf(reference);
  for (const { name, spec } of operationList) {
    const anchor = name.replace('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    assert.ok(ids.includes(anchor), anchor);
    assert.ok(reference.html.includes(html`${spec.summary}`.text), spec.summary);
  }
  for (const { code } of listErrors()) assert.ok(ids.includes(`error-${code}`), code);
  assert.ok(reference.html.includes(`href="${sitePaths.openApi}"`));
  assert.ok(reference.html.includes('market:&lt;wallet&gt;:&lt;wallet_sig_ts&gt;'));
});

test('production pages do not speak of what exists in the sandbox only', () => {
  assert.ok(operationsOf('production').length < operationList.length);
  const production = [renderReferencePage(service), renderHomePage({ ...service, profile: 'production' })];
  for (const page of production) assert.doesNotMatch(markupOf(page), /sandbox/i);
  assert.match(markupOf(reference), /sandbox-sign-in/);
});

test('what only a script can do is hidden until a script shows it', () => {
  assert.match(reference.html, /<div class="filter" hidden>/);
  assert.doesNotMatch(reference.html, /<button class="copy" type="button">/);
});
