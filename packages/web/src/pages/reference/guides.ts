/** The introduction for callers. Its facts come from the contract; only the text between them is written here. */
import { credentialGuides, listErrors, signatureNotes, signatureTierGuides } from '@market/contract';
import { jsonPanel } from './code-panel.ts';
import { type Html, html, prose } from './html.ts';
import { table } from './table.ts';

export function conventionsGuide(): Html {
  const success = JSON.stringify({ success: true, data: { id: 'ext_1700000000000_k3v9x1q7a' } }, undefined, 2);
  const failure = JSON.stringify(
    { success: false, error: 'This agent does not exist.', code: 'agent_not_found', request_id: 'req_…' },
    undefined,
    2,
  );
  return html`<section class="part" data-guide aria-labelledby="conventions"><h2 id="conventions">Conventions</h2>
<h3 id="envelope">One envelope</h3><p>Every answer is JSON. A good one holds <code>data</code>, lists also named fields beside it such as <code>total</code>. A refusal holds a stable <code>code</code> for programs and a sentence for people. Every answer carries <code>X-Request-Id</code>; quote it when you report a problem.</p>
<div class="pair">${jsonPanel('Done', success)}${jsonPanel('Refused', failure)}</div>
<h3 id="paging">Lists</h3><p>Send <code>limit</code> with <code>offset</code>, or follow <code>next_cursor</code>: pass it as <code>cursor</code> and nothing is skipped or shown twice while the list changes. <code>next_cursor</code> is null on the last page.</p>
<h3 id="idempotency">Repeating a call safely</h3><p>Send <code>Idempotency-Key</code> with a call that changes something. For 24 hours the same key and request get the first answer again; the same key with another request is refused with 422. The SDK and the <code>market</code> command do this on their own.</p>
<h3 id="rate-limits">Limits</h3><p>Limited calls say so below. They are counted per client address and call, in a window that opens with the first request. Their answers carry <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix seconds); a 429 adds <code>Retry-After</code> (seconds).</p></section>`;
}

export function authenticationGuide(): Html {
  const credentials = credentialGuides.map(({ title, who, credential, carriers }) => [
    html`${title}<small>${who}</small>`,
    html`${prose(credential)} Sent as ${carriers.map((carrier, index) => html`${index === 0 ? '' : index === carriers.length - 1 ? ', or ' : ', '}${prose(carrier)}`)}.`,
  ]);
  const tiers = signatureTierGuides.map(({ title, text, rule }) => [html`${title}`, html`<code>${text}</code><br>${prose(rule)}`]);
  return html`<section class="part" data-guide aria-labelledby="authentication"><h2 id="authentication">Authentication</h2>
<h3 id="credentials">Five credentials</h3>${table('Credentials', ['Credential', 'How it is sent'], credentials)}
<h3 id="signatures">Texts a wallet signs</h3>${table('Signature tiers', ['Tier', 'Text and rule'], tiers)}
<ul class="notes">${signatureNotes.map((note) => html`<li>${prose(note)}</li>`)}</ul></section>`;
}

export function errorsGuide(): Html {
  const errors = listErrors();
  const rows = errors.map(({ code, status, message }) => [html`<code>${code}</code><small>${status}</small>`, prose(message)]);
  return html`<section class="part" data-guide aria-labelledby="errors"><h2 id="errors">Errors</h2><p>Codes never change. The sentence may be more specific than the one shown here.</p>
${table(
  'Error catalogue',
  ['Code', 'Meaning'],
  rows,
  errors.map(({ code }) => `error-${code}`),
)}</section>`;
}
