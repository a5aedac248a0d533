/**
 * Renders our guides from Markdown. `marked` parses; all markup is written here through `html`, which escapes. Raw HTML in a guide stays
 * text, and pictures become their text.
 */
import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { type Html, html, markup } from '../reference/html.ts';

export { html };

export interface RenderedGuide {
  readonly title: string;
  readonly markup: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

const renderer: RendererObject<string, string> = {
  heading({ depth, tokens, text }) {
    const words = markup(this.parser.parseInline(tokens));
    if (depth === 1) return html`<h1>${words}</h1>\n`.text;
    const id = anchorOf(text);
    return (depth === 2 ? html`<h2 id="${id}">${words}</h2>\n` : html`<h3 id="${id}">${words}</h3>\n`).text;
  },
  code({ lang, text }) {
    return html`<figure class="code"><pre tabindex="0" role="group" aria-label="${lang || 'Code'}"><code>${text}</code></pre></figure>\n`
      .text;
  },
  blockquote({ tokens }) {
    return html`<div class="note">${markup(this.parser.parse(tokens))}</div>\n`.text;
  },
  table({ header, rows }) {
    const inline = ({ tokens }: Tokens.TableCell): Html => markup(this.parser.parseInline(tokens));
    return html`<div class="scroll"><table class="table"><thead><tr>${header.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead><tbody>${rows.map(
      (row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`,
    )}</tbody></table></div>\n`.text;
  },
  list({ ordered, items }) {
    const written = items.map((item) => html`<li>${markup(this.parser.parse(item.tokens))}</li>`);
    return (ordered ? html`<ol>${written}</ol>` : html`<ul>${written}</ul>`).text;
  },
  codespan: ({ text }) => html`<code>${text}</code>`.text,
  strong({ tokens }) {
    return html`<b>${markup(this.parser.parseInline(tokens))}</b>`.text;
  },
  link({ href, tokens }) {
    return renderLink(markup(this.parser.parseInline(tokens)), href).text;
  },
  image: ({ text }) => html`${text}`.text,
  html: ({ text }) => html`${text}`.text,
};

const parser = new Marked({ renderer, gfm: true });

export function renderMarkdown(source: string): RenderedGuide {
  const headings = parser.lexer(source).filter(isHeading);
  const sections = headings.filter(({ depth }) => depth === 2).map(({ text }) => ({ id: anchorOf(text), title: plain(text) }));
  const title = headings.find(({ depth }) => depth === 1)?.text ?? '';
  return { title: plain(title), markup: parser.parse(source, { async: false }), sections };
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** Guides link to files beside them; here those are pages. A link without a page becomes text. */
function renderLink(words: Html, target: string): Html {
  const guide = /^(?:\.\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(target);
  if (guide !== null) return html`<a href="/docs/${guide[1]}${guide[2]}">${words}</a>`;
  return /^(https:\/\/|\/(?!\/)|#)/.test(target) ? html`<a href="${target}">${words}</a>` : words;
}

function plain(text: string): string {
  return text.replace(/[`*]/g, '');
}

function anchorOf(words: string): string {
  return plain(words)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
