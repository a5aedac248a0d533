/** Reads typed links, one per line. */
export function readLinks(text: string): { readonly urls: readonly string[]; readonly wrong?: string } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const bad = lines.find((line) => !/^https?:\/\/\S+$/.test(line) || URL.parse(line) === null);
  return bad === undefined
    ? { urls: lines }
    : { urls: [], wrong: `“${bad.slice(0, 60)}” is no link. Links begin with https:// or http://.` };
}
