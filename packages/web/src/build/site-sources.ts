/** What the site is made from, and where its builds are kept. Loads nothing else: `npm start` asks it first of all. */
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
