export { typefaceOf } from './latin-fonts.ts';
export { type BuiltSite, openSite } from './open-site.ts';
export { pageAddress } from './page-address.ts';
export { pagePatterns } from './routes.ts';
export type { BuildManifest, RenderedPage, RenderRequest, RestOfPage, SiteFacts, SiteRenderer, Theme } from './site.ts';
export { sitePaths } from './site-paths.ts';
