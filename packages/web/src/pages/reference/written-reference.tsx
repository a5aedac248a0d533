/**
 * Long pages that never change while the server runs. The server renders them as plain markup; the browser only adds the filter and the
 * copy buttons. The contract's schemas never reach the browser.
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

/** Loaded only on the server; the browser reuses the server's markup. */
export const renderer = import.meta.env.SSR ? await import('./render-reference.ts') : undefined;

export function optionsOf({ serviceName, apiUrl, profile }: SiteFacts): ReferenceOptions {
  return { serviceName, baseUrl: apiUrl, profile };
}

/** `made`: the markup, on the server only. */
export function WrittenReference({ made }: { readonly made: string | undefined }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => (element.current === null ? undefined : enhanceReference(element.current)), []);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: our own markup, escaped in html.ts
  return <div className="reference" ref={element} dangerouslySetInnerHTML={{ __html: made ?? written }} />;
}
