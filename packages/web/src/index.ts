export { siteIcon } from './design/assets.ts';
export { type HomePageOptions, renderHomePage } from './home/render-home-page.ts';
export { renderNotFoundPage } from './not-found/render-not-found-page.ts';
export type { Page } from './page.ts';
export { type ReferencePageOptions, renderReferencePage } from './reference/render-reference-page.ts';
export { sitePaths } from './site-paths.ts';
