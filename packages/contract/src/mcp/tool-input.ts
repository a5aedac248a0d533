/** The arguments of a tool: the fields of its operation by the tool's names, without credentials and headers. */
import { z } from 'zod';
import { signatureFields } from '../accounts/identity/signed-text.ts';
import type { McpBinding, OperationSpec } from '../define-operation.ts';
import { MarketError } from '../market-error.ts';
import { convertSchema, type JsonSchema } from '../openapi/json-schema.ts';
import { asEntries, asListOfEntries } from './record-arguments.ts';
import type { ToolCall, ToolDefinition } from './tool.ts';

const IDEMPOTENCY_KEY = 'idempotency_key';

/** Fields that tools lack: `x402Version` shapes only HTTP answers, and the specification's tools have no `q`. */
const httpFields = ['x402Version', 'q'];

const idempotencyKey = z
  .string()
  .max(255)
  .optional()
  .describe('Any text of your own, 1 to 255 visible ASCII characters. Send the same value for a retry: the call is then done once');

const proofFields = {
  wallet: z.string().optional().describe('The wallet that signs; by default the one named as owner, client or creator'),
  wallet_sig: z
    .string()
    .optional()
    .describe('Its signature over `market:<wallet>:<wallet_sig_ts>`, or over the text that the refusal shows'),
  wallet_sig_ts: z.number().optional().describe('Time of the signature in milliseconds since 1970'),
  wallet_chain: z.string().optional().describe('`solana` or `base`; by default the kind of the address'),
  signed_message: z.string().optional().describe('The message that the refusal shows, as the wallet signed it; then without wallet_sig_ts'),
} as const satisfies Record<(typeof signatureFields)[number], z.ZodType>;

/** Whether the tool takes a wallet signature among its arguments: an API key proves no wallet. */
function takesWalletProof({ access, errors = [] }: OperationSpec): boolean {
  const onlyWallet = access.accepts.includes('wallet') && !access.accepts.includes('api_key');
  return onlyWallet || errors.includes('custody_signature_required');
}

/** Argument of the tool → field of the operation. */
function fieldsByArgument(spec: OperationSpec, { names = {} }: McpBinding): ReadonlyMap<string, string> {
  const renamed = new Map(Object.entries(names).map(([argument, field]) => [field, argument]));
  const shown = (['path', 'query', 'body'] as const).flatMap((part) => Object.keys(spec.input?.[part]?.shape ?? {}));
  const named = Object.keys(spec.input?.headers?.shape ?? {}).filter((field) => renamed.has(field));
  const fields = [...shown.filter((field) => !httpFields.includes(field)), ...named];
  return new Map(fields.map((field) => [renamed.get(field) ?? field, field]));
}

function shapesOf({ input }: OperationSpec): Readonly<Record<string, z.ZodType>> {
  return { ...input?.path?.shape, ...input?.query?.shape, ...input?.body?.shape, ...input?.headers?.shape };
}

export function inputSchemaOf(spec: OperationSpec, binding: McpBinding): ToolDefinition['inputSchema'] {
  const shapes = shapesOf(spec);
  const fields = [...fieldsByArgument(spec, binding)].map(
    ([argument, field]) => [argument, shownAs(argument, shapes[field], binding)] as const,
  );
  const schema = z.object({
    ...Object.fromEntries(fields),
    ...(takesWalletProof(spec) && proofFields),
    ...(spec.effects.kind !== 'read' && { [IDEMPOTENCY_KEY]: idempotencyKey }),
  });
  const { root, definitions } = convertSchema(schema, 'input');
  const properties = Object.fromEntries(
    Object.entries(root.properties ?? {}).map(([name, one]) => [name, described(asNullableList(asListOfEntries(one)), definitions)]),
  );
  return {
    ...asObject({ ...root, properties }),
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

/** Writes "list or null" as one schema: hosts with strict schemas refuse unions whose records have optional fields. */
function asNullableList(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property;
  const [list, nothing, ...others] = anyOf ?? [];
  if (list?.type !== 'array' || nothing?.type !== 'null' || others.length > 0) return property;
  return { ...list, ...rest, type: ['array', 'null'] };
}

function shownAs(argument: string, schema: z.ZodType | undefined, { ignores = [] }: McpBinding): z.ZodType | undefined {
  return ignores.includes(argument) ? schema?.describe('Accepted and ignored') : schema;
}

/** Copies the description of a referenced schema or an alternative to the argument, because hosts show only that. */
function described(property: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (property.description !== undefined) return property;
  const named = definitions[property.$ref?.split('/').at(-1) ?? ''];
  const description = named?.description ?? property.anyOf?.find((one) => one.description !== undefined)?.description;
  return description === undefined ? property : { ...property, description };
}

export function asObject(root: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...root, type: 'object', properties: root.properties ?? {} };
}

/** Sorts the arguments of a call into arguments of the operation, idempotency key and wallet proof. */
export function argumentReader(spec: OperationSpec, binding: McpBinding): (args: Readonly<Record<string, unknown>>) => ToolCall {
  const fields = fieldsByArgument(spec, binding);
  const proof: readonly string[] = takesWalletProof(spec) ? signatureFields : [];
  const isChange = spec.effects.kind !== 'read';
  const isPlain = plainFields(spec);
  const shapes = shapesOf(spec);
  const known = [...fields.keys(), ...proof.filter((name) => !fields.has(name)), ...(isChange ? [IDEMPOTENCY_KEY] : [])];
  const isKnown = (argument: string) => known.includes(argument);
  return (args) => {
    const sorted: Record<string, unknown> = {};
    const shown: Record<string, unknown> = {};
    const unknown: string[] = [];
    let key: unknown;
    for (const [argument, sent] of Object.entries(args)) {
      const field = fields.get(argument);
      const schema = shapes[field ?? ''];
      // Hosts with strict schemas send null for every argument that the model left out.
      if (sent === null && isKnown(argument) && schema?.safeParse(null).success !== true) continue;
      const value = asEntries(schema, sent);
      if ((field === undefined ? proof.includes(argument) : isPlain.has(field)) && isRecord(value)) throw notPlain(argument);
      if (binding.ignores?.includes(argument)) continue;
      if (field !== undefined) sorted[field] = value;
      else if (proof.includes(argument)) shown[argument] = value;
      else if (isChange && argument === IDEMPOTENCY_KEY) key = value;
      else unknown.push(argument);
    }
    if (unknown.length > 0) throw unknownArguments(unknown, known);
    if (key !== undefined && typeof key !== 'string') throw new MarketError('invalid_idempotency_key');
    return {
      args: sorted,
      ...(key !== undefined && { idempotencyKey: key }),
      ...(isSigned(shown) && { signature: { ...shown, wallet: shown['wallet'] ?? walletNamed(sorted) } }),
    };
  };
}

/** Fields of the path and the query, which must not be objects: over REST an object would become text. */
function plainFields({ input }: OperationSpec): ReadonlySet<string> {
  return new Set([...Object.keys(input?.path?.shape ?? {}), ...Object.keys(input?.query?.shape ?? {})]);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notPlain(argument: string): MarketError {
  const message = `${argument} must be a text, a number or a boolean.`;
  return new MarketError('invalid_input', { message, data: { issues: [{ field: argument, message }] } });
}

/** True if a signature is among the arguments; a wallet address alone is no proof. */
function isSigned({ wallet_sig, wallet_sig_ts }: Readonly<Record<string, unknown>>): boolean {
  return wallet_sig !== undefined || wallet_sig_ts !== undefined;
}

function walletNamed(args: Readonly<Record<string, unknown>>): unknown {
  return args['owner_wallet'] ?? args['client_wallet'] ?? args['token_creator_wallet'];
}

function unknownArguments(names: readonly string[], known: readonly string[]): MarketError {
  const shown = names.slice(0, 5).map((name) => name.slice(0, 60));
  const takes = known.length === 0 ? 'This tool takes no arguments.' : `This tool takes ${known.join(', ')}.`;
  const message = `Unknown argument${shown.length === 1 ? '' : 's'}: ${shown.join(', ')}. ${takes}`;
  return new MarketError('invalid_input', { message, data: { issues: shown.map((field) => ({ field, message: 'Unknown argument.' })) } });
}
