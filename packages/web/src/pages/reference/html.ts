/** The only way from text to markup here: an `html` template escapes every value that is not markup itself. */

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

/** Treats text as markup. Only for text that `html` wrote, or that a parser composed of `html`'s output. */
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

/** A sentence of the contract with `code` between backticks; the rest is escaped text. */
export function prose(sentence: string): Html {
  const pieces = sentence.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
  return html`${pieces}`;
}
