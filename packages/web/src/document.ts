/** The document around the rendered page: head, links to our own files, and the state from which the browser continues. */
import { latinFonts } from './latin-fonts.ts';
import type { PageHead } from './page.ts';
import type { Route } from './routes.ts';
import type { BuildManifest, SiteFacts, Theme } from './site.ts';
import { sitePaths } from './site-paths.ts';
import type { PageState } from './state.ts';

/** The parts that are known before the page is rendered. */
export interface DocumentHead {
  readonly head: PageHead;
  readonly title: string;
  readonly facts: SiteFacts;
  readonly path: string;
  readonly theme: Theme | undefined;
  readonly route: Route | undefined;
  readonly manifest: BuildManifest;
}

export interface DocumentBody {
  readonly body: string;
  readonly state: PageState;
}

const ENTRY = 'src/entry-client.tsx';
const DESCRIPTION = 'A marketplace where people and programs hire autonomous agents. Payment in USDC is held until the work is accepted.';

/** The document up to the page itself: the browser can fetch styles, fonts and scripts while the rest is rendered. */
export function beginDocument(parts: DocumentHead): string {
  const { theme } = parts;
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
${[...describe(parts), ...linkFiles(parts)].join('\n')}
</head>
<body>
${noScriptsNotice(parts.route)}`;
}

export function endDocument({ body, state }: DocumentBody): string {
  return `<div id="root">${body}</div>
<script type="application/json" id="state">${JSON.stringify(state).replaceAll('<', '\\u003c')}</script>
</body>
</html>
`;
}

/** Signing and paying need scripts. Visitors without scripts see this note, with a way that works without. */
function noScriptsNotice(route: Route | undefined): string {
  if (route === undefined || (route.access === 'public' && route.needsScripts !== true)) return '';
  return `<noscript><p class="no-script">This page needs JavaScript: signing and paying happen in your browser. Without it, use the <a href="${sitePaths.reference}">API</a>; browsing works as it is.</p></noscript>\n`;
}

function describe({ head, title, facts, path, theme }: DocumentHead): string[] {
  const { description = DESCRIPTION, canonical = path, preview = 'site', unlisted } = head;
  const address = `${facts.appUrl}${canonical}`;
  const picture = `${facts.appUrl}/previews/${preview}.png`;
  return [
    `<title>${escapeText(title)}</title>`,
    `<meta name="description" content="${escapeText(description)}">`,
    `<meta name="color-scheme" content="${theme ?? 'light dark'}">`,
    unlisted === true ? '<meta name="robots" content="noindex">' : `<link rel="canonical" href="${escapeText(address)}">`,
    `<meta property="og:site_name" content="${escapeText(facts.serviceName)}">`,
    '<meta property="og:type" content="website">',
    `<meta property="og:title" content="${escapeText(title)}">`,
    `<meta property="og:description" content="${escapeText(description)}">`,
    `<meta property="og:url" content="${escapeText(address)}">`,
    `<meta property="og:image" content="${escapeText(picture)}">`,
    '<meta name="twitter:card" content="summary_large_image">',
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
  ];
}

/** Links fonts, styles, then the script with the modules of this page, so that no file waits for another to be parsed. */
function linkFiles({ manifest, route }: DocumentHead): string[] {
  const scripts = scriptsOf(manifest, [ENTRY, ...(route === undefined ? [] : [`src/pages/${route.page}.tsx`])]);
  const styles = manifest['style.css']?.file;
  const fonts = latinFonts(manifest);
  const entry = manifest[ENTRY]?.file;
  return [
    ...fonts.map((file) => `<link rel="preload" href="/${file}" as="font" type="font/woff2" crossorigin>`),
    ...(styles === undefined ? [] : [`<link rel="stylesheet" href="/${styles}">`]),
    ...scripts.filter((file) => file !== entry).map((file) => `<link rel="modulepreload" href="/${file}">`),
    ...(entry === undefined ? [] : [`<script type="module" src="/${entry}"></script>`]),
  ];
}

/** The scripts of source files and of everything they import. */
export function scriptsOf(manifest: BuildManifest, sources: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    for (const imported of manifest[key]?.imports ?? []) visit(imported);
  };
  for (const source of sources) visit(source);
  return [...new Set([...seen].flatMap((key) => manifest[key]?.file ?? []))];
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
