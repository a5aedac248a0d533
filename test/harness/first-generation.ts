/**
 * Reads a result as official clients 1.x do: they validate structured content against the tool's output schema, in errors too, and throw
 * if it does not fit. A refusal that does not fit would therefore be lost.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { toolNamed } from '@market/contract';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Ajv as AjvClass, ValidateFunction } from 'ajv';

const require = createRequire(import.meta.url);
const { Ajv } = require('ajv') as { Ajv: typeof AjvClass };
const addFormats = require('ajv-formats') as (ajv: AjvClass) => void;

/** Configured as in the client of 1.x. */
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
