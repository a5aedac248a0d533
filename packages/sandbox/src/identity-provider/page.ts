// The frame of the provider's pages: escaping, the one style sheet, and headers that let nothing else run or load.

import { createHash } from 'node:crypto';
import type { ProviderResponse } from './exchange.ts';
import { pageStyle } from './page-style.ts';

const STYLE_HASH = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export interface PageContent {
  readonly title: string;
  readonly serviceName: string;
  /** Markup, escaped by its author. */
  readonly main: string;
  /** Browsers hold the redirect that answers a form to form-action too, so the app's origin must be in it. */
  readonly formTarget?: string;
}

export function answerPage(status: number, content: PageContent): ProviderResponse {
  const formAction = content.formTarget === undefined ? "'none'" : `'self' ${content.formTarget}`;
  const name = escapeHtml(content.serviceName);
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH}; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(content.title)} - ${name} sandbox</title>
<style>${pageStyle}</style>
</head>
<body>
<header><span class="brand">${name}</span><span class="sandbox">Sandbox</span></header>
<main>
${content.main}
</main>
</body>
</html>
`,
  };
}

/** A refusal that must not travel to the app. */
export function answerRefusalPage(serviceName: string, reason: string, status = 400): ProviderResponse {
  return answerPage(status, {
    title: 'Sign-in refused',
    serviceName,
    main: `<h1>This sign-in cannot go on</h1>
<p class="lead">${escapeHtml(reason)}</p>
<p class="note">Go back to the app and start the sign-in again. Nobody was signed in.</p>`,
  });
}
