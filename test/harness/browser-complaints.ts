/** Complaints about a page: errors in the console, refused content, broken requests. */
import type { Page, Response } from 'playwright-core';

export interface Complaints {
  /** Complaints that are not allowed, one line each. */
  list(): readonly string[];
}

export interface WatchOptions {
  readonly ownOrigin: string;
  readonly allow: readonly RegExp[];
  readonly scripts: boolean;
}

/**
 * Each complaint is one line: `console: …`, `uncaught: …` (also unhandled rejections), `404 GET /path`, `failed GET /path …`.
 * Violations of the content security policy appear in the console. `allow` matches the lines that a test expects.
 */
export function watchForComplaints(page: Page, { ownOrigin, allow, scripts }: WatchOptions): Complaints {
  const seen: string[] = [];
  const isOwn = (url: string): boolean => url.startsWith(`${ownOrigin}/`);
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // The broken request itself is reported below, with its method and status.
    if (message.text().startsWith('Failed to load resource') && isOwn(message.location().url)) return;
    seen.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && isOwn(response.url())) seen.push(describeResponse(response));
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'for an unknown reason';
    // Leaving a page aborts its open requests, and without scripts the browser refuses them; neither is a fault.
    if (isOwn(request.url()) && reason !== 'net::ERR_ABORTED' && (scripts || reason !== 'csp')) {
      seen.push(`failed ${request.method()} ${pathOf(request.url())} ${reason}`);
    }
  });
  return { list: () => seen.filter((line) => !allow.some((pattern) => pattern.test(line))) };
}

function describeResponse(response: Response): string {
  return `${response.status()} ${response.request().method()} ${pathOf(response.url())}`;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
