/** Types shared by server and site. No browser, no React: both sides import this. */
import type { NetworkName } from '@market/contract';

/** Facts of this deployment that pages show. They travel to the browser with the page. */
export interface SiteFacts {
  readonly serviceName: string;
  /** Where people find the pages. */
  readonly appUrl: string;
  /** Where programs find the API. */
  readonly apiUrl: string;
  readonly profile: 'sandbox' | 'production';
  /** Networks on which one can pay here. */
  readonly networks: readonly NetworkName[];
  /** Where people with an account sign in; null where the operator named none for the site. */
  readonly identityProvider: { readonly issuer: string; readonly clientId: string } | null;
}

export type Theme = 'light' | 'dark';

export interface RenderRequest {
  /** Path and query. */
  readonly url: string;
  readonly facts: SiteFacts;
  /** Chosen by the visitor; undefined follows the system. */
  readonly theme: Theme | undefined;
  /** The visitor sent something that may prove who they are. */
  readonly mayBeSignedIn: boolean;
  /** Market time, in milliseconds. */
  readonly now: number;
  /** Calls the API of this process in the visitor's name. */
  readonly fetch: typeof globalThis.fetch;
  readonly requestId: string;
}

export type RenderedPage =
  | { readonly kind: 'page'; readonly status: number; readonly html: string; readonly failure?: unknown }
  /** Signed-in pages: the head is sent at once, the rest follows. Nothing can change the status any more. */
  | { readonly kind: 'begun'; readonly status: 200; readonly html: string; readonly rest: Promise<RestOfPage> }
  | { readonly kind: 'redirect'; readonly status: 302 | 308; readonly location: string };

export interface RestOfPage {
  readonly html: string;
  readonly failure?: unknown;
}

export interface SiteRenderer {
  render(request: RenderRequest): Promise<RenderedPage>;
}

/** Vite's account of its output: a source file → its file and imports. */
export type BuildManifest = Readonly<
  Record<
    string,
    {
      readonly file: string;
      readonly imports?: readonly string[];
    }
  >
>;
