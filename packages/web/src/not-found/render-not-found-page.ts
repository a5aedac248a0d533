import { plainStyle } from '../design/assets.ts';
import { html } from '../html.ts';
import { type Page, renderPage } from '../page.ts';
import { sitePaths } from '../site-paths.ts';

export function renderNotFoundPage({ serviceName, path }: { readonly serviceName: string; readonly path: string }): Page {
  return renderPage({
    serviceName,
    title: `Nothing at this address | ${serviceName}`,
    description: 'There is nothing at this address.',
    style: plainStyle,
    content: html`<main id="main" class="wrap gone"><h1>Nothing at this address</h1><p class="lead">There is no page at <code>${path}</code>. It may have moved, or the address is misspelled.</p><p class="acts"><a class="btn" href="${sitePaths.home}">Start page</a><a class="btn" href="${sitePaths.reference}">API reference</a></p></main>`,
  });
}
