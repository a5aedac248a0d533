import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listErrors, operationList, operationsOf } from '@market/contract';
import { html, prose } from './html.ts';
import { renderNoun, renderReference } from './render-reference.ts';

const service = { serviceName: 'Mercato', baseUrl: 'http://127.0.0.1:4020' };
const reference = renderReference({ ...service, profile: 'sandbox' });
const nouns = [...new Set(operationsOf('sandbox').map(({ group }) => group))];
/** Pages by URL. */
const pages = new Map([
  ['/reference', reference],
  ...nouns.map((noun) => [`/reference/${noun}`, renderNoun({ ...service, profile: 'sandbox' }, noun) ?? ''] as const),
]);
const idsOf = (markup: string) => [...markup.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? '');

test('in an HTML template text is escaped, markup is not, lists are joined, undefined is empty', () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  assert.equal(html`<p title="${hostile}">${hostile}</p>`.text.includes('<img'), false);
  assert.equal(html`${hostile}`.text, '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  assert.equal(html`${[html`<b>${1}</b>`, 'a<']}${undefined}`.text, '<b>1</b>a&lt;');
  assert.equal(prose('Send `<b>` now').text, 'Send <code>&lt;b&gt;</code> now');
});

test('a hostile service name or URL is rendered as text', () => {
  const hostile = `"><script>alert(1)</script>`;
  assert.equal(renderReference({ serviceName: hostile, baseUrl: hostile, profile: 'sandbox' }).includes(hostile), false);
});

test('the reference contains nothing a strict CSP would block, and loads nothing', () => {
  for (const markup of pages.values()) assert.doesNotMatch(markup, /<script|<style|\sstyle=|\son\w+=|javascript:|\ssrc=/);
});

test('links in the reference resolve, ids are unique, headings never skip a level', () => {
  for (const [address, markup] of pages) {
    const ids = idsOf(markup);
    assert.equal(new Set(ids).size, ids.length, address);
    for (const [, page = '', target = ''] of markup.matchAll(/href="(\/reference[^"#]*)?#([^"]*)"/g))
      assert.ok(idsOf(pages.get(page === '' ? address : page) ?? '').includes(target), `${page}#${target} on ${address}`);
    for (const [, page = ''] of markup.matchAll(/href="(\/reference[^"#]*)"/g)) assert.ok(pages.has(page), page);
    for (const [, label = ''] of markup.matchAll(/aria-labelledby="([^"]*)"/g)) assert.ok(ids.includes(label), label);
    const levels = [...markup.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.reduce((before, level) => {
      assert.ok(level <= before + 1, `h${before} then h${level} on ${address}`);
      return level;
    }, 0);
  }
});

test('every operation has a section and an anchor in the reference, and every error code its meaning', () => {
  for (const { name, group, spec } of operationList) {
    const anchor = name.replace('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const page = pages.get(`/reference/${group}`) ?? '';
    assert.ok(idsOf(page).includes(anchor), anchor);
    assert.ok(page.includes(html`${spec.summary}`.text), spec.summary);
    assert.ok(idsOf(reference).includes(anchor), `an old link to ${anchor}`);
  }
  for (const { code } of listErrors()) assert.ok(idsOf(reference).includes(`error-${code}`), code);
});

test('every page of the reference is under 420 KB of markup', () => {
  for (const [address, { length }] of pages) assert.ok(length < 420_000, `${address}: ${length}`);
});

test('an unknown noun has no page in the reference', () => {
  assert.equal(renderNoun({ ...service, profile: 'sandbox' }, 'nobody'), undefined);
  assert.equal(renderNoun({ ...service, profile: 'production' }, 'sandbox'), undefined);
});

test('the reference of production omits sandbox-only operations', () => {
  assert.ok(operationsOf('production').length < operationList.length);
  assert.doesNotMatch(renderReference({ ...service, profile: 'production' }), /sandbox-sign-in/);
  assert.match(reference, /sandbox-sign-in/);
});

test('elements of the reference that need scripts are hidden until a script shows them', () => {
  for (const markup of pages.values()) {
    assert.match(markup, /<div class="filter" hidden>/);
    assert.doesNotMatch(markup, /<button class="copy" type="button">/);
  }
});
