/**
 * Pages that are long and never change while the server runs: the server writes them as plain markup; the browser leaves them as they are
 * and only adds the filter and the copy buttons. Nothing of the contract's schemas reaches the browser.
 */
import '../../ui/code/code.css';
import '../../ui/display/data-table.css';
import '../../ui/marks/hash.css';
import './reference.css';
import './operation.css';
import { useEffect, useRef } from 'react';
import type { SiteFacts } from '../../site.ts';
import { enhanceReference } from './enhance-reference.ts';
import type { ReferenceOptions } from './render-reference.ts';

const written = import.meta.env.SSR ? '' : (document.querySelector('.reference')?.innerHTML ?? '');

/** On the server only; elsewhere it is what the server wrote. */
export const renderer = import.meta.env.SSR ? await import('./render-reference.ts') : undefined;

export function optionsOf({ serviceName, apiUrl, profile }: SiteFacts): ReferenceOptions {
  return { serviceName, baseUrl: apiUrl, profile };
}

/** `made`: the markup, where this is the server. */
export function WrittenReference({ made }: { readonly made: string | undefined }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current === null ? undefined : enhanceReference(element.current)), []);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own markup, escaped in html.ts
  return <div className="reference" ref={element} dangerouslySetInnerHTML={{ __html: made ?? written }} />;
}
