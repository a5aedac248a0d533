import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listErrors, operationList, operationsOf } from '@market/contract';
import { html, prose } from './html.ts';
import { renderReference } from './render-reference.ts';

const service = { serviceName: 'Mercato', baseUrl: 'http://127.0.0.1:4020' };
const reference = renderReference({ ...service, profile: 'sandbox' });
const idsOf = (markup: string) => [...markup.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? '');

test('text put into a template is escaped, markup is not, lists are joined, undefined is nothing', () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  assert.equal(html`<p title="${hostile}">${hostile}</p>`.text.includes('<img'), false);
  assert.equal(html`${hostile}`.text, '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;');
  assert.equal(html`${[html`<b>${1}</b>`, 'a<']}${undefined}`.text, '<b>1</b>a&lt;');
  assert.equal(prose('Send `<b>` now').text, 'Send <code>&lt;b&gt;</code> now');
});

test('a hostile service name or address stays text', () => {
  const hostile = `"><script>alert(1)</script>`;
  assert.equal(renderReference({ serviceName: hostile, baseUrl: hostile, profile: 'sandbox' }).includes(hostile), false);
});

test('the reference holds nothing a strict policy would refuse, and asks for nothing', () => {
  assert.doesNotMatch(reference, /<script|<style|\sstyle=|\son\w+=|javascript:|\ssrc=/);
});

test('links inside the reference arrive, ids are unique, headings never skip a level', () => {
  const ids = idsOf(reference);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, target] of reference.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target ?? ''), `#${target}`);
  for (const [, label] of reference.matchAll(/aria-labelledby="([^"]*)"/g)) assert.ok(ids.includes(label ?? ''), label);
  const levels = [...reference.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level));
  assert.equal(levels.filter((level) => level === 1).length, 1);
  levels.reduce((before, level) => {
    assert.ok(level <= before + 1, `h${before} then h${level}`);
    return level;
  }, 0);
});

test('the reference shows every operation and every error code', () => {
  const ids = idsOf(reference);
  for (const { name, spec } of operationList) {
    const anchor = name.replace('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    assert.ok(ids.includes(anchor), anchor);
    assert.ok(reference.includes(html`${spec.summary}`.text), spec.summary);
  }
  for (const { code } of listErrors()) assert.ok(ids.includes(`error-${code}`), code);
});

test('production does not speak of what exists in the sandbox only', () => {
  assert.ok(operationsOf('production').length < operationList.length);
  assert.doesNotMatch(renderReference({ ...service, profile: 'production' }), /sandbox-sign-in/);
  assert.match(reference, /sandbox-sign-in/);
});

test('what only a script can do is hidden until a script shows it', () => {
  assert.match(reference, /<div class="filter" hidden>/);
  assert.doesNotMatch(reference, /<button class="copy" type="button">/);
});
