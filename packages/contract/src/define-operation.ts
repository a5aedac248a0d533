import type { z } from 'zod';
import type { Power } from './authority/powers.ts';
import type { Proof } from './authority/proofs.ts';
import type { Scope } from './connections/scopes.ts';
import type { ErrorCode } from './errors.ts';
import type { RateLimit } from './kernel/rate-limits.ts';

/**
 * An operation is one thing the marketplace can do, defined once. Router, validation, limiter, OpenAPI, SDK,
 * CLI, reference docs and MCP tools are all derived from this record; nothing about a call is written twice.
 */
export interface OperationSpec {
  /** One imperative line, no full stop. */
  readonly summary: string;
  /** Conditions and side effects that the fields do not show. */
  readonly description?: string;
  readonly input?: OperationInput;
  readonly output: OperationOutput;
  /** Codes this operation may answer besides the ones every operation can (see `commonErrors`). */
  readonly errors?: readonly ErrorCode[];
  /** How its 402 states the price: a list of requirements, or one flat requirement. Absent where nothing is paid for. */
  readonly challenge?: 'accepts' | 'flat';
  /** The call also accepts an x402 payment, in a handler of its own. */
  readonly alsoPaid?: AlsoPaid;
  /** What the call can do. The table of authority says which proofs give it. */
  readonly power: Power;
  /** Fields that need a power of their own when they are given, or given with one of these values. */
  readonly fieldPowers?: Readonly<Record<string, Power | Readonly<Record<string, Power>>>>;
  /** Fields that a signature which stood in an address does not set. True: it does not make the call at all. */
  readonly refusesCopies?: true | readonly string[];
  /** Proofs that this operation takes although most operations of its power do not. Each is a condition of the table. */
  readonly proofs?: readonly Proof[];
  /** Proofs that it does not take although its power does. */
  readonly withoutProofs?: readonly Proof[];
  readonly access: Access;
  /** Requests per window and client; absent means not limited. */
  readonly limit?: RateLimit;
  /** Requests per window and agent, or owner of a position, counted once it and the caller's right to it are known. */
  readonly agentLimit?: RateLimit;
  readonly effects: Effects;
  readonly rest: RestBinding;
  readonly mcp?: McpBinding;
  /** Any one of these lets a connected program use the operation over MCP although it is no tool. */
  readonly connectionScopes?: readonly Scope[];
  readonly examples: readonly OperationExample[];
  /** Exists in the sandbox only; production answers 404. */
  readonly sandboxOnly?: true;
}

/** When a call that works without a payment goes to the handler that takes payments. A call that carries a payment always does. */
export interface AlsoPaid {
  /** Without credentials or payment, answer 402. */
  readonly withoutCredentials?: true;
  /** One argument with one of these values asks for the price. */
  readonly onRequest?: Readonly<Record<string, string | boolean>>;
}

/** Field names are unique across the four parts, so that SDK, CLI and MCP can offer one flat argument object. */
export interface OperationInput {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Request headers, by their names in snake_case: `x_payment` is `X-Payment`. */
  readonly headers?: z.ZodObject;
}

export interface OperationOutput {
  readonly data: z.ZodType;
  /** Named fields beside `data` in the envelope (`total`, `unread_count`). */
  readonly extras?: z.ZodObject;
  /** Headers of a successful answer beside those every answer has, by their names in snake_case. */
  readonly headers?: z.ZodObject;
  /** A document with a standard shape: `data` is the whole body, without the envelope. */
  readonly bare?: true;
  /** Media type of a bare document that has its own; JSON all the same. */
  readonly mediaType?: `application/${string}+json`;
  /** The answer is a stream of server-sent events; `data` is the schema of one event. */
  readonly stream?: true;
}

/** Ways to prove who is calling. `anonymous` in the list means credentials are optional. */
export type CredentialKind = 'anonymous' | 'api_key' | 'idp' | 'wallet' | 'admin' | 'admin_key' | 'order_token';

export interface Access {
  readonly accepts: readonly CredentialKind[];
  /** A proof of a wallet must come with one of them. */
  readonly together?: 'wallet';
  /** The key of an agent taken off the market still works here. */
  readonly inactiveAgents?: true;
  /** Who may call it, in words, where the credential alone is not enough. */
  readonly rule?: string;
}

export interface Effects {
  readonly kind: 'read' | 'write' | 'pay';
  /** The call pays only with this argument. */
  readonly paysWith?: string;
  /** Repeating the same call leaves the same state (and says so to MCP hosts). Reads always are. */
  readonly idempotent?: boolean;
  /** Ends, withdraws or takes away something that the same caller cannot simply bring back. */
  readonly destructive?: true;
  /** The answer sets a cookie, so it is never replayed: an Idempotency-Key is ignored. */
  readonly setsCookie?: true;
  /** The answer holds a key that must not be stored, so it is never replayed either. */
  readonly isSecret?: true;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RestBinding {
  readonly method: HttpMethod;
  /** `/api/agents/{id}`; parameter names match `input.path`. */
  readonly path: `/${string}`;
  /** Status of a successful answer; 200 unless the contract says 201. */
  readonly status?: 200 | 201;
  /** Several operations may share method and path when a body field tells them apart (`action` on an order). */
  readonly selector?: { readonly field: string; readonly value: string };
  /** Fields of the query or the body that may also stand in the other of the two. Where both hold one, they must agree. */
  readonly eitherPlace?: readonly string[];
  /** Another name of a query field → the field. Where both are given, they must agree. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** A GET of the same path that carries a body is this call, too. */
  readonly alsoByGet?: true;
  /** Name of the list in `data` that `Accept: text/csv` asks for. */
  readonly csvOf?: string;
  /** Address of the same feed as RSS 2.0; `data` is a JSON Feed. */
  readonly rssPath?: `/${string}`;
  /** Largest accepted body in bytes; 256 KiB unless stated. */
  readonly maxBodyBytes?: number;
  /** The body is a form with one file in `field` instead of JSON. Further fields come before the file. */
  readonly multipart?: { readonly field: string; readonly maxBytes: number };
}

export interface McpBinding {
  /** Tool name including its `market_` prefix. */
  readonly tool: `market_${string}`;
  /** Short name for people, shown by hosts. */
  readonly title: string;
  /** When to call it, and which tool comes before or instead: one or two sentences. */
  readonly use: string;
  /** Instead of the operation's description, where that one speaks of HTTP. */
  readonly description?: string;
  /** Any one of these lets a connected program call the tool. */
  readonly scopes: readonly Scope[];
  /** Argument of the tool → field of the operation, where the two names differ. */
  readonly names?: Readonly<Record<string, string>>;
  /** Arguments that the specification declares and the tool accepts without effect. */
  readonly ignores?: readonly string[];
}

export interface OperationExample {
  readonly title: string;
  readonly input?: Record<string, unknown>;
  readonly data: unknown;
  /** Fields beside `data` that cannot be derived from it. */
  readonly extras?: Record<string, unknown>;
}

export function defineOperation<const S extends OperationSpec>(spec: S): S {
  return Object.freeze(spec);
}

type PartOutput<P> = P extends z.ZodObject ? z.output<P> : unknown;
type PartInput<P> = P extends z.ZodObject ? z.input<P> : unknown;
/** A flag of the query is the word `true` or `false`; a program may pass the boolean. */
type OrBoolean<V> = string extends V ? V : 'true' | 'false' extends V ? V | boolean : V;
type QueryInput<P> = P extends z.ZodObject ? { [K in keyof z.input<P>]: OrBoolean<z.input<P>[K]> } : unknown;
type InputParts<S extends OperationSpec> = S extends { readonly input: infer I extends OperationInput } ? I : Record<never, never>;
type Part<I, K extends string> = I extends Record<K, infer P> ? P : unknown;
type FilePart<R extends RestBinding> = R extends { readonly multipart: { readonly field: infer F extends string } }
  ? Readonly<Record<F, Blob>>
  : unknown;
type Flatten<T> = { [K in keyof T]: T[K] };

/** Input of a handler: all parts validated, with defaults, merged. */
export type OperationArguments<S extends OperationSpec> = Flatten<
  PartOutput<Part<InputParts<S>, 'path'>> &
    PartOutput<Part<InputParts<S>, 'query'>> &
    PartOutput<Part<InputParts<S>, 'body'>> &
    PartOutput<Part<InputParts<S>, 'headers'>>
>;

/** Input of a caller: the same fields before defaults, plus the file if the operation takes one. */
export type OperationCall<S extends OperationSpec> = Flatten<
  PartInput<Part<InputParts<S>, 'path'>> &
    QueryInput<Part<InputParts<S>, 'query'>> &
    PartInput<Part<InputParts<S>, 'headers'>> &
    PartInput<Part<InputParts<S>, 'body'>> &
    FilePart<S['rest']>
>;

type Extras<S extends OperationSpec> = S['output'] extends { readonly extras: infer X extends z.ZodObject } ? z.output<X> : unknown;

/** Result of a call: `data` plus the named extras. */
export type OperationAnswer<S extends OperationSpec> = Flatten<{ readonly data: z.output<S['output']['data']> } & Extras<S>>;

/** `x_payment_network` → `X-Payment-Network` */
export function headerOf(field: string): string {
  return field
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('-');
}

/** Rate limits and custody signatures name an operation by its REST binding, whatever transport carries the call. */
export function endpointOf({ rest }: Pick<OperationSpec, 'rest'>): string {
  return `${rest.method} ${rest.path}`;
}

/** Unknown query fields are refused, except where crawlers and payment clients add their own: documents, feeds, and addresses of x402. */
export function ignoresUnknownQuery({ output, rest }: Pick<OperationSpec, 'output' | 'rest'>): boolean {
  return output.bare === true || rest.path.startsWith('/api/x402/');
}

/** Arguments that carry a payment. A blank one is none. */
const paymentArguments = ['x_payment', 'payment_signature'] as const;

/** Whether the handler that takes payments answers this call. */
export function isPaidCall({ alsoPaid }: OperationSpec, args: Readonly<Record<string, unknown>>, hasCredentials: boolean): boolean {
  if (alsoPaid === undefined) return false;
  if (alsoPaid.withoutCredentials === true && !hasCredentials) return true;
  const asked = Object.entries(alsoPaid.onRequest ?? {}).some(([name, value]) => args[name] === value);
  return asked || paymentArguments.some((name) => typeof args[name] === 'string' && args[name].trim() !== '');
}

/** Whether an Idempotency-Key has an effect. Only the answers of changes are stored and replayed. */
export function keepsAnswers({ effects }: OperationSpec): boolean {
  return effects.kind !== 'read' && effects.setsCookie !== true && effects.isSecret !== true;
}

/** Whether a call can pay, so that spend policies are asked and a budget session may be named. */
export function mayPay({ effects, alsoPaid }: OperationSpec): boolean {
  return effects.kind === 'pay' || effects.paysWith !== undefined || alsoPaid !== undefined;
}

/** Whether a call with these arguments pays. */
export function isPayingCall(spec: OperationSpec, args: Readonly<Record<string, unknown>>, hasCredentials: boolean): boolean {
  const { kind, paysWith } = spec.effects;
  return kind === 'pay' || (paysWith !== undefined && args[paysWith] !== undefined) || isPaidCall(spec, args, hasCredentials);
}

/** Errors any operation can answer; listed once instead of on every definition. */
export const commonErrors = [
  'invalid_input',
  'malformed_request',
  'internal',
  'overloaded',
  'unavailable',
] as const satisfies readonly ErrorCode[];
