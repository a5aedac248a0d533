/** Types shared by server and site. No browser, no React: both sides import this. */
import type { NetworkName } from '@market/contract';

/** Facts of this deployment that pages show. The page carries them to the browser. */
export interface SiteFacts {
  readonly serviceName: string;
  /** The URL of the site for people. */
  readonly appUrl: string;
  /** The URL of the API for programs. */
  readonly apiUrl: string;
  readonly profile: 'sandbox' | 'production';
  /** Networks on which this deployment accepts payments. */
  readonly networks: readonly NetworkName[];
  /** The provider where people with an account sign in; null if the operator configured none for the site. */
  readonly identityProvider: { readonly issuer: string; readonly clientId: string } | null;
}

export type Theme = 'light' | 'dark';

export interface RenderRequest {
  /** Path and query. */
  readonly url: string;
  readonly facts: SiteFacts;
  /** The visitor's choice; undefined follows the system. */
  readonly theme: Theme | undefined;
  /** True if the visitor sent a cookie that may identify them. */
  readonly mayBeSignedIn: boolean;
  /** Market time, in milliseconds. */
  readonly now: number;
  /** Calls the API of this process on behalf of the visitor. */
  readonly fetch: typeof globalThis.fetch;
  readonly requestId: string;
}

export type RenderedPage =
  | { readonly kind: 'page'; readonly status: number; readonly html: string; readonly failure?: unknown }
  /** Signed-in pages: the head is sent at once, the rest follows, and the status is fixed from then on. */
  | { readonly kind: 'begun'; readonly status: 200; readonly html: string; readonly rest: Promise<RestOfPage> }
  | { readonly kind: 'redirect'; readonly status: 302 | 308; readonly location: string };

export interface RestOfPage {
  readonly html: string;
  readonly failure?: unknown;
}

export interface SiteRenderer {
  render(request: RenderRequest): Promise<RenderedPage>;
}

/** Vite's manifest of its output: each source file with its built file and imports. */
export type BuildManifest = Readonly<
  Record<
    string,
    {
      readonly file: string;
      readonly imports?: readonly string[];
    }
  >
>;
