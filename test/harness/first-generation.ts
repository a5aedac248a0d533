/**
 * How official clients 1.x read a result: they hold structured content against the output schema of its tool, errors too, and throw where
 * it does not fit. So a refusal that does not fit reaches nobody.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { toolNamed } from '@market/contract';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Ajv as AjvClass, ValidateFunction } from 'ajv';

const require = createRequire(import.meta.url);
const { Ajv } = require('ajv') as { Ajv: typeof AjvClass };
const addFormats = require('ajv-formats') as (ajv: AjvClass) => void;

/** As the client of 1.x makes it. */
const ajv = new Ajv({ strict: false, validateFormats: true, validateSchema: false, allErrors: true });
addFormats(ajv);
const validators = new Map<string, ValidateFunction>();

export function requireReadable(tool: string, { structuredContent, isError }: CallToolResult): void {
  const validate = validators.get(tool) ?? ajv.compile({ ...toolNamed(tool)?.definition.outputSchema });
  validators.set(tool, validate);
  assert.ok(structuredContent !== undefined || isError === true, `${tool} has structured content`);
  const isValid = structuredContent === undefined || validate(structuredContent);
  assert.ok(isValid, `${tool}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(structuredContent).slice(0, 500)}`);
}
