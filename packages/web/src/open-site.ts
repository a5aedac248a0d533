/** Opens the built site. Node cannot load .tsx, so the renderer comes from the build and is loaded by name at run time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { currentBuild } from './build/kept-builds.ts';
import type { BuildManifest, SiteRenderer } from './site.ts';

export const DIST: string = join(import.meta.dirname, '..', 'dist');

export interface BuiltSite {
  /** Folder with `assets/`, where each file also exists as `.br` and `.gz`. */
  readonly clientFolder: string;
  readonly manifest: BuildManifest;
  readonly loadRenderer: () => Promise<SiteRenderer>;
}

/** Undefined before the first build. */
export function openSite(): BuiltSite | undefined {
  const folder = currentBuild(DIST);
  if (folder === undefined) return undefined;
  const clientFolder = join(folder, 'client');
  const manifest = JSON.parse(readFileSync(join(clientFolder, 'manifest.json'), 'utf8')) as BuildManifest;
  let renderer: Promise<SiteRenderer> | undefined;
  return {
    clientFolder,
    manifest,
    loadRenderer: () => {
      renderer ??= importRenderer(join(folder, 'server', 'entry-server.js'), manifest);
      return renderer;
    },
  };
}

async function importRenderer(file: string, manifest: BuildManifest): Promise<SiteRenderer> {
  const { createRenderer } = (await import(pathToFileURL(file).href)) as { createRenderer(manifest: BuildManifest): SiteRenderer };
  return createRenderer(manifest);
}
