// The frame of the provider's pages: escaping, one style sheet, and headers that forbid everything else.

import { createHash } from 'node:crypto';
import { composePageStyle, type Typeface } from './page-style.ts';

export interface Page {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Settings shared by all pages of one visitor. */
export interface PageFrame {
  readonly serviceName: string;
  /** Undefined if the site is not built: the page then uses a system typeface. */
  readonly typeface?: Typeface | undefined;
  /** The theme chosen on the site; undefined follows the system. */
  readonly theme?: 'light' | 'dark' | undefined;
}

/** Reads the chosen theme from the site's cookie. */
export function readTheme(cookies: string): PageFrame['theme'] {
  const chosen = /(?:^|;\s*)theme=(light|dark)(?:;|$)/.exec(cookies)?.[1];
  return chosen === 'light' || chosen === 'dark' ? chosen : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export interface PageContent {
  readonly title: string;
  /** Markup, escaped by its author. */
  readonly main: string;
  /** The app's origin for form-action, because browsers apply it to the redirect after a form, too. */
  readonly formTarget?: string;
}

export function answerPage(status: number, { serviceName, typeface, theme }: PageFrame, content: PageContent): Page {
  const style = composePageStyle(typeface);
  const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const fonts = typeface === undefined ? '' : " font-src 'self';";
  const formAction = content.formTarget === undefined ? "'none'" : `'self' ${content.formTarget}`;
  const name = escapeHtml(serviceName);
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src ${styleHash};${fonts} form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${escapeHtml(content.title)} - ${name} sandbox</title>
${typeface === undefined ? '' : `<link rel="preload" href="${escapeHtml(typeface.text)}" as="font" type="font/woff2" crossorigin>\n`}<style>${style}</style>
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

/** The page for an error that must not go to the app. */
export function answerRefusalPage(frame: PageFrame, reason: string, status = 400): Page {
  return answerPage(status, frame, {
    title: 'Sign-in refused',
    main: `<h1>This sign-in cannot go on</h1>
<p class="lead">${escapeHtml(reason)}</p>
<p class="note">Go back to the app and start the sign-in again. Nobody was signed in.</p>`,
  });
}
