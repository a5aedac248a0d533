/** One guide. The server renders it from its file in docs/guides; the browser leaves it unchanged. */
import './docs.css';
import '../../ui/code/code.css';
import '../../ui/display/data-table.css';
import { MarketApiError } from '@market/sdk';
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { guides } from './guides.ts';
import type { RenderedGuide } from './render-markdown.ts';

type GuideParams = { guide: string };

const sources = import.meta.env.SSR
  ? import.meta.glob<string>('../../../../../docs/guides/*.md', { query: '?raw', import: 'default' })
  : {};
const renderer = import.meta.env.SSR ? await import('./render-markdown.ts') : undefined;
const written = import.meta.env.SSR ? '' : (document.querySelector('.guide')?.innerHTML ?? '');
const made = new Map<string, RenderedGuide>();

async function makeGuide(name: string): Promise<RenderedGuide | undefined> {
  const load = sources[`../../../../../docs/guides/${name}.md`];
  if (load === undefined || renderer === undefined) return undefined;
  const guide = made.get(name) ?? renderer.renderMarkdown(await load());
  made.set(name, guide);
  return guide;
}

function GuidePage({ params }: PageProps<GuideParams>) {
  const guide = made.get(params.guide);
  const markup = guide === undefined ? written : `<article class="text">${guide.markup}</article>${contentsOf(guide)}`;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own guides, escaped in html.ts
  return <div className="wrap guide" dangerouslySetInnerHTML={{ __html: markup }} />;
}

function contentsOf({ sections }: RenderedGuide): string {
  const { html } = renderer ?? {};
  if (html === undefined) return '';
  return html`<nav aria-label="On this page"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}<li><a href="${sitePaths.docs}">All docs</a></li></ul></nav>`
    .text;
}

export const page = definePage<GuideParams>({
  load: async ({ params }) => {
    if (import.meta.env.SSR && (await makeGuide(params.guide)) === undefined)
      throw new MarketApiError({ status: 404, code: 'not_found', message: 'There is no such guide.' });
  },
  head: ({ params }) => {
    const listed = guides.find(({ name }) => name === params.guide);
    return {
      title: listed?.title ?? made.get(params.guide)?.title ?? 'Guide',
      ...(listed !== undefined && { description: listed.about }),
      canonical: sitePaths.guide(params.guide),
    };
  },
  Component: GuidePage,
});
