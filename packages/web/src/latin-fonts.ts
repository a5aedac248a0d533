/** The two font files that nearly every page needs, under the names that the build gave them. */
import type { BuildManifest } from './site.ts';

export function latinFonts(manifest: BuildManifest): readonly string[] {
  return Object.values(manifest)
    .map(({ file }) => file)
    .filter((file) => /-latin-wght-normal-[\w-]+\.woff2$/.test(file));
}

/** Their URLs on this site; undefined before the first build. */
export function typefaceOf(manifest: BuildManifest | undefined): { readonly text: string; readonly mono: string } | undefined {
  const fonts = manifest === undefined ? [] : latinFonts(manifest);
  const [text, mono] = ['schibsted-grotesk', 'spline-sans-mono'].map((name) => fonts.find((file) => file.includes(`${name}-`)));
  return text === undefined || mono === undefined ? undefined : { text: `/${text}`, mono: `/${mono}` };
}
