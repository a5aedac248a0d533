/** The sources of the site, and the folder of its builds. Loads nothing else, because `npm start` needs it first. */
import { join } from 'node:path';
import { DIST } from '../open-site.ts';
import type { Sources } from './fingerprint.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

export const siteSources: { readonly dist: string; readonly sources: Sources } = {
  dist: DIST,
  sources: {
    root: ROOT,
    folders: [
      { folder: 'packages/web/src', files: /\.(?:ts|tsx|css)$/ },
      { folder: 'packages/web/public', files: /\.(?:svg|png)$/ },
      { folder: 'docs/guides', files: /\.md$/ },
      { folder: 'packages/sdk/src', files: /\.ts$/ },
      { folder: 'packages/contract/src', files: /\.ts$/ },
    ],
    files: ['packages/web/package.json', 'package-lock.json'],
  },
};
