/** Copies code into CONTRIBUTING and the READMEs of packages, from files that the compiler checks. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Generator } from './generator.ts';
import { replaceSection } from './marked-section.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Sample {
  /** The section of the document. */
  readonly name: string;
  readonly document: string;
  readonly file: string;
  /** The part between `// sample: part` and `// end of sample`; by default the whole file. */
  readonly part?: string;
  /** Rewrites imports for the place of the copy. */
  readonly asWritten?: (code: string) => string;
}

const samples: readonly Sample[] = [
  { name: 'definition', document: 'CONTRIBUTING.md', file: 'test/samples/add-an-operation.ts', part: 'definition' },
  { name: 'handler', document: 'CONTRIBUTING.md', file: 'test/samples/add-an-operation.ts', part: 'handler' },
  { name: 'list', document: 'packages/contract/README.md', file: 'test/samples/list-operations.ts' },
  { name: 'client', document: 'packages/sdk/README.md', file: 'test/samples/approve-an-order.ts' },
  { name: 'wallet', document: 'packages/sdk/README.md', file: 'test/samples/sign-with-a-wallet.ts', part: 'wallet' },
  {
    name: 'page',
    document: 'packages/web/README.md',
    file: 'packages/web/samples/things/thing-page.tsx',
    asWritten: (code) => code.replaceAll("'../../src/", "'../../"),
  },
];

export const sampleBlocks: Generator = {
  name: 'samples',
  render: async () => {
    const documents: Record<string, string> = {};
    for (const { name, document, file, part, asWritten = (code: string) => code } of samples) {
      const text = documents[document] ?? (await readFile(join(repository, document), 'utf8'));
      const code = asWritten(cutSample(await readFile(join(repository, file), 'utf8'), part));
      documents[document] = replaceSection(text, `sample ${name}`, `\`\`\`${file.split('.').at(-1)}\n${code}\n\`\`\``);
    }
    return documents;
  },
};

export function cutSample(source: string, part: string | undefined): string {
  if (part === undefined) return source.trimEnd();
  const cut = new RegExp(`^( *)// sample: ${part}\n(.*?)^ *// end of sample$`, 'ms').exec(source);
  if (cut === null) throw new Error(`There is no sample "${part}".`);
  const [, indent = '', body = ''] = cut;
  return body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd();
}
