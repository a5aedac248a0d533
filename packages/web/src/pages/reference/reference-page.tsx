/**
 * Every call of the API. It is long and never changes while the server runs, so the server writes it as plain markup; the browser
 * leaves it as it is and only adds the filter and the copy buttons. Nothing of the contract's schemas reaches the browser.
 */
import '../../ui/code.css';
import '../../ui/data-table.css';
import '../../ui/hash.css';
import './reference.css';
import './operation.css';
import { useEffect, useRef } from 'react';
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import type { SiteFacts } from '../../site.ts';
import { sitePaths } from '../../site-paths.ts';
import { enhanceReference } from './enhance-reference.ts';

const renderReference = import.meta.env.SSR ? (await import('./render-reference.ts')).renderReference : undefined;
const written = import.meta.env.SSR ? '' : (document.querySelector('.reference')?.innerHTML ?? '');
const made = new Map<string, string>();

function markupOf({ serviceName, apiUrl, profile }: SiteFacts): string {
  if (renderReference === undefined) return written;
  const key = `${serviceName} ${apiUrl} ${profile}`;
  const markup = made.get(key) ?? renderReference({ serviceName, baseUrl: apiUrl, profile });
  made.set(key, markup);
  return markup;
}

function ReferencePage() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current === null ? undefined : enhanceReference(element.current)), []);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own markup, escaped in html.ts
  return <div className="reference" ref={element} dangerouslySetInnerHTML={{ __html: markupOf(useFacts()) }} />;
}

export const page = definePage({
  head: ({ facts }) => ({
    title: 'API reference',
    description: `Every call of ${facts.serviceName}: what it takes, what it answers and who may make it.`,
    canonical: sitePaths.reference,
  }),
  Component: ReferencePage,
});
