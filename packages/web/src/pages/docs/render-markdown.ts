/** The Markdown our own guides use: headings, paragraphs, lists, tables, code, links, emphasis. Everything else stays text. */
import { type Html, html } from '../reference/html.ts';

export { html };

export interface RenderedGuide {
  readonly title: string;
  readonly markup: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

export function renderMarkdown(source: string): RenderedGuide {
  const sections: { id: string; title: string }[] = [];
  let title = '';
  const blocks = splitBlocks(source).map((block): Html => {
    const heading = /^(#{1,4})\s+(.*)$/.exec(block);
    if (heading === null) return renderBlock(block);
    const words = heading[2] ?? '';
    if (heading[1] === '#') {
      title = plain(words);
      return html`<h1>${inline(words)}</h1>`;
    }
    const id = anchorOf(words);
    if (heading[1] === '##') sections.push({ id, title: plain(words) });
    return heading[1] === '##' ? html`<h2 id="${id}">${inline(words)}</h2>` : html`<h3 id="${id}">${inline(words)}</h3>`;
  });
  return { title, markup: blocks.map(({ text }) => text).join('\n'), sections };
}

/** Blank lines part blocks, except inside fenced code. */
function splitBlocks(source: string): string[] {
  const pieces = source.split(/^(```[\s\S]*?^```)$/m);
  return pieces.flatMap((piece) => {
    if (piece.startsWith('```')) return [piece];
    return piece
      .replace(/^(#{1,4} .*)$/gm, '\n$1\n')
      .split(/\n\s*\n/)
      .map((block) => block.replace(/^\n+|\s+$/g, ''))
      .filter((block) => block !== '');
  });
}

function renderBlock(block: string): Html {
  const fence = /^```(\w*)\n([\s\S]*?)\n?```$/.exec(block);
  if (fence !== null)
    return html`<figure class="code"><pre tabindex="0" role="group" aria-label="${fence[1] || 'Code'}"><code>${fence[2]}</code></pre></figure>`;
  if (/^\|.*\|\s*\n\|[\s:|-]+\|/.test(block)) return renderTable(block);
  if (/^(\d+\.|[-*])\s/.test(block)) return renderList(block);
  if (block.startsWith('>')) return html`<p class="note">${inline(block.replace(/^>\s?/gm, ' '))}</p>`;
  return html`<p>${inline(block)}</p>`;
}

function renderTable(block: string): Html {
  const [head = '', , ...rows] = block.split('\n');
  const cells = (row: string) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return html`<div class="scroll"><table class="tb"><thead><tr>${cells(head).map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${cells(row).map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** An item goes on until the next one; indented items below it are a list of their own. */
function renderList(block: string): Html {
  const items: string[] = [];
  for (const line of block.split('\n')) {
    if (/^(\d+\.|[-*])\s/.test(line)) items.push(line.replace(/^(\d+\.|[-*])\s+/, ''));
    else items.push(`${items.pop() ?? ''}\n${line}`);
  }
  const written = items.map((item) => {
    const at = item.search(/\n\s+(\d+\.|[-*])\s/);
    if (at < 0) return html`<li>${inline(item)}</li>`;
    return html`<li>${inline(item.slice(0, at))}${renderList(item.slice(at + 1).replace(/^\s{2,4}/gm, ''))}</li>`;
  });
  return /^\d/.test(block) ? html`<ol>${written}</ol>` : html`<ul>${written}</ul>`;
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

function inline(text: string): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, words, target] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<b>${inline(strong)}</b>`);
    else if (emphasis !== undefined) parts.push(html`<em>${inline(emphasis)}</em>`);
    else parts.push(renderLink(words ?? '', target ?? ''));
    end = match.index + whole.length;
  }
  parts.push(html`${text.slice(end)}`);
  return html`${parts}`;
}

/** Guides link to files beside them; here those are pages. What has no page stays words. */
function renderLink(words: string, target: string): Html {
  const guide = /^(?:\.\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(target);
  if (guide !== null) return html`<a href="/docs/${guide[1]}${guide[2]}">${inline(words)}</a>`;
  return /^(https:\/\/|\/(?!\/)|#)/.test(target) ? html`<a href="${target}">${inline(words)}</a>` : inline(words);
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
