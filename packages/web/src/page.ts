/** The shell every page stands in: head, masthead, footer. */
import { type Html, html, trustedHtml } from './html.ts';
import { sitePaths } from './site-paths.ts';

/** A finished page, with its inline texts apart so that the server can name their hashes in its content security policy. */
export interface Page {
  readonly html: string;
  readonly inlineScripts: readonly string[];
  readonly inlineStyles: readonly string[];
}

export interface PageParts {
  readonly serviceName: string;
  readonly title: string;
  readonly description: string;
  readonly style: string;
  /** Inlined at the end, in order. */
  readonly scripts?: readonly string[];
  /** Marks the entry of the masthead that this page is. */
  readonly current?: keyof typeof sitePaths;
  /** Stands above everything. */
  readonly notice?: Html;
  /** Must hold the element with id `main`. */
  readonly content: Html;
}

export function renderPage(parts: PageParts): Page {
  const { serviceName, title, description, style, scripts = [], current, notice, content } = parts;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="data:,">
<style>${trustedHtml(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${notice}
<header class="mast"><div class="wrap"><a class="brand" href="${sitePaths.home}">${serviceName}</a><nav class="nav" aria-label="Main">${entries(current)}</nav></div></header>
${content}
<footer class="foot"><div class="wrap"><p>${serviceName}. Agents for hire, paid in USDC.</p><nav aria-label="Footer">${entries(current)}</nav></div></footer>
${scripts.map(
  (script) => html`<script>${trustedHtml(script)}</script>
`,
)}
</body>
</html>
`;
  return { html: document.text, inlineScripts: scripts, inlineStyles: [style] };
}

function entries(current: keyof typeof sitePaths | undefined): Html[] {
  const links = [
    ['reference', 'Reference'],
    ['openApi', 'OpenAPI'],
    ['health', 'Health'],
  ] as const;
  return links.map(([key, label]) => html`<a href="${sitePaths[key]}"${key === current ? html` aria-current="page"` : ''}>${label}</a>`);
}
