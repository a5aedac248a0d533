import { type Html, html } from './html.ts';

/** A captioned piece of code that scrolls by keyboard. The copy button stays hidden until scripts run. */
export function codePanel(caption: string, code: string): Html {
  return html`<figure class="code"><figcaption>${caption}<button class="copy" type="button" hidden>Copy<span class="visually-hidden"> ${caption}</span></button></figcaption><pre tabindex="0" role="group" aria-label="${caption}"><code>${code}</code></pre></figure>`;
}

/** As `codePanel`, but field names are dimmed, so that the values stand out. */
export function jsonPanel(caption: string, value: string): Html {
  const lines = value.split('\n').map((line, index) => html`${index === 0 ? '' : '\n'}${jsonLine(line)}`);
  return html`<figure class="code"><figcaption>${caption}</figcaption><pre tabindex="0" role="group" aria-label="${caption}"><code>${lines}</code></pre></figure>`;
}

function jsonLine(line: string): Html {
  const [, indent, key, rest] = /^(\s*)("(?:[^"\\]|\\.)*":)(.*)$/.exec(line) ?? [];
  return key === undefined ? html`${line}` : html`${indent}<span class="key">${key}</span>${rest}`;
}
