/**
 * The browser only needs to know how to call an operation. Schemas, descriptions and examples would be most of the script, so the client
 * build gets the operation list as this table instead. It is derived from the contract at build time, so nothing is written twice.
 */
import { join } from 'node:path';
import { type OperationSpec, operationList } from '@market/contract';
import type { Plugin } from 'vite';

type Part = 'path' | 'query' | 'body' | 'headers';

export function slimOperations(root: string): Plugin {
  const source = join(root, 'packages', 'contract', 'src', 'operations.ts');
  return {
    name: 'market:slim-operations',
    enforce: 'pre',
    load(id) {
      return id === source ? slimModule() : null;
    },
  };
}

function slimModule(): string {
  const rows = operationList.map(({ name, group, method, spec }) => ({ name, group, method, spec: slimSpec(spec) }));
  return [
    `export const operationList = JSON.parse(${JSON.stringify(JSON.stringify(rows))});`,
    'export const operations = {};',
    // Most operations have empty facts about their answer, so the script adds these 230 empty objects itself.
    'for (const { group, method, spec } of operationList) ((operations[group] ??= {})[method] = spec).output ??= {};',
  ].join('\n');
}

/** The parts of a definition that `@market/sdk` and the pages read. */
function slimSpec({ input, output, power, fieldPowers, proofs, withoutProofs, access, effects, rest, sandboxOnly }: OperationSpec): object {
  const fieldsOf = (part: Part) => {
    const names = Object.keys(input?.[part]?.shape ?? {});
    return names.length === 0 ? {} : { [part]: { shape: Object.fromEntries(names.map((field) => [field, 1])) } };
  };
  const { accepts, together } = access;
  const parts = { ...fieldsOf('path'), ...fieldsOf('query'), ...fieldsOf('body'), ...fieldsOf('headers') };
  return {
    ...(Object.keys(parts).length > 0 && { input: parts }),
    ...(output.bare === true && { output: { bare: true } }),
    ...(output.stream === true && { output: { stream: true } }),
    power,
    ...(fieldPowers !== undefined && { fieldPowers }),
    ...(proofs !== undefined && { proofs }),
    ...(withoutProofs !== undefined && { withoutProofs }),
    access: { accepts, ...(together !== undefined && { together }) },
    effects,
    rest,
    ...(sandboxOnly === true && { sandboxOnly }),
  };
}
