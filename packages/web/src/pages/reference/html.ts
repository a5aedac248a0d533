/** The only way text becomes markup here: everything put into an `html` template is escaped, unless it is markup itself. */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type HtmlPart = string | number | Html | undefined | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((string, index) => string + (index < parts.length ? toMarkup(parts[index]) : '')).join(''));
}

/** Takes text as markup. Only for what `html` wrote or a parser whose every piece `html` wrote. */
export function markup(written: string): Html {
  return new Html(written);
}

function toMarkup(part: HtmlPart): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toMarkup).join('');
  return escapeHtml(String(part));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A sentence of the contract: `code` between backticks, the rest as it stands. */
export function prose(sentence: string): Html {
  const pieces = sentence.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
  return html`${pieces}`;
}
