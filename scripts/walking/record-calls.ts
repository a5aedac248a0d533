/** Records which function of the server calls which: every source is instrumented while it loads, and calls are followed across `await`. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { registerHooks } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

export interface RecordedCall {
  /** Path below the recorded folder. */
  readonly file: string;
  /** The function: line and offset of its body. */
  readonly name: string;
  /** Where the caller stood: file, line and column of the instrumented source. Undefined for callbacks of libraries. */
  readonly from: string | undefined;
  /** The call during which this one happened. */
  readonly parent: RecordedCall | undefined;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly async?: boolean;
  readonly generator?: boolean;
  readonly body?: Node;
}

/** The word `Error`, `recordCall` and the function that is called. */
const FRAMES_OF_CALLEE = 3;

declare global {
  var recordCall: <T>(file: string, name: string, run: () => T) => T;
}

/** From now on, functions of modules loaded from `folder` record their calls. Constructors and generators are left out. */
export function recordCalls(folder: string): readonly RecordedCall[] {
  const calls: RecordedCall[] = [];
  const current = new AsyncLocalStorage<RecordedCall>();
  const root = pathToFileURL(`${folder}/`).href;
  globalThis.recordCall = (file, name, run) => {
    const frames = (new Error().stack ?? '').split('\n').slice(FRAMES_OF_CALLEE);
    const from = frames
      .find((frame) => frame.includes(root))
      ?.split(root)[1]
      ?.replace(/\)$/, '');
    const call = { file, name, from, parent: current.getStore() };
    calls.push(call);
    return current.run(call, run);
  };
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (loaded.format !== 'module-typescript' || !url.startsWith('file:')) return loaded;
      const file = relative(folder, fileURLToPath(url)).split(sep).join('/');
      if (file.startsWith('..')) return loaded;
      return { ...loaded, source: instrument(String(loaded.source), file) };
    },
  });
  return calls;
}

/** Wraps the body of each function. Lines stay where they are. */
function instrument(source: string, file: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  for (const { async = false, body } of findFunctions(parseAst(source, { lang: 'ts' }))) {
    if (body === undefined || source.slice(body.start, body.end) === '{}') continue;
    const isBlock = body.type === 'BlockStatement';
    const name = `${JSON.stringify(file)}, "${source.slice(0, body.start).split('\n').length}:${body.start}"`;
    const call = `recordCall(${name}, ${async ? 'async ' : ''}() => `;
    insertions.push({ at: isBlock ? body.start + 1 : body.start, text: isBlock ? ` return ${call}{` : `${call}(` });
    insertions.push({ at: isBlock ? body.end - 1 : body.end, text: isBlock ? '});' : '))' });
  }
  insertions.sort((a, b) => b.at - a.at);
  return insertions.reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

function findFunctions(tree: unknown): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown, isConstructor: boolean): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, false);
    else if (typeof value === 'object' && value !== null) {
      const node = value as Node & { readonly kind?: string };
      if (/^(?:Function|ArrowFunction)/.test(node.type) && node.generator !== true && !isConstructor) found.push(node);
      for (const child of Object.values(node)) visit(child, node.kind === 'constructor');
    }
  };
  visit(tree, false);
  return found;
}
