import type { z } from 'zod';
import type { Scope } from './accounts/connections/scopes.ts';
import type { Power } from './authority/powers.ts';
import type { Proof } from './authority/proofs.ts';
import type { ErrorCode } from './errors.ts';
import type { RateLimit } from './kernel/rate-limits.ts';

/**
 * An operation is one action of the marketplace, defined once. Router, validation, limiter, OpenAPI, SDK,
 * CLI, reference docs and MCP tools are all derived from this record.
 */
export interface OperationSpec {
  /** One imperative line, no full stop. */
  readonly summary: string;
  /** Conditions and side effects that the fields do not show. */
  readonly description?: string;
  readonly input?: OperationInput | undefined;
  readonly output: OperationOutput;
  /** Codes this operation may answer besides the ones every operation can (see `commonErrors`). */
  readonly errors?: readonly ErrorCode[];
  /** Form of the price in the 402 answer: a list of requirements, or one flat requirement. Absent for operations without a price. */
  readonly challenge?: 'accepts' | 'flat';
  /** The call also accepts an x402 payment; a second handler answers it. */
  readonly alsoPaid?: AlsoPaid | undefined;
  /** The power that the call needs. The table of authority says which proofs give it. */
  readonly power: Power;
  /** Fields that need a further power when present, or when present with one of these values. */
  readonly fieldPowers?: Readonly<Record<string, Power | Readonly<Record<string, Power>>>>;
  /** Fields that a signature copied from a query string cannot set. True: such a signature cannot make the call. */
  readonly refusesCopies?: true | readonly string[];
  /** Proofs that this operation accepts although the table does not give them its power in general. */
  readonly proofs?: readonly Proof[];
  /** Proofs that this operation refuses although the table gives them its power. */
  readonly withoutProofs?: readonly Proof[];
  readonly access: Access;
  /** Requests per window and client; absent means not limited. */
  readonly limit?: RateLimit;
  /** Requests per window and agent, or owner of a position. The handler counts them after it has checked the caller's right. */
  readonly agentLimit?: RateLimit | undefined;
  readonly effects: Effects;
  readonly rest: RestBinding;
  readonly mcp?: McpBinding;
  /** Scopes of an operation that is no tool: any one lets a connected program use it over MCP. */
  readonly connectionScopes?: readonly Scope[];
  readonly examples: readonly OperationExample[];
  /** Exists in the sandbox only; production answers 404. */
  readonly sandboxOnly?: true;
}

/** When a call without a payment goes to the handler for payments. A call with a payment always does. */
export interface AlsoPaid {
  /** Without credentials or payment, answer 402. */
  readonly withoutCredentials?: true;
  /** Arguments that ask for the price, each with its value. */
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
  /** One of the credentials must come together with a wallet proof. */
  readonly together?: 'wallet';
  /** The key of an agent taken off the market still works here. */
  readonly inactiveAgents?: true;
  /** Sentence for the docs: who may call it, if the credential alone is not enough. */
  readonly rule?: string;
}

export interface Effects {
  readonly kind: 'read' | 'write' | 'pay';
  /** The call pays only if this argument is given. */
  readonly paysWith?: string;
  /** Repeating the same call leaves the same state; MCP tools carry it as `idempotentHint`. Reads are always idempotent. */
  readonly idempotent?: boolean;
  /** The call ends or removes what the same caller cannot restore. */
  readonly destructive?: true;
  /** The answer sets a cookie, so it is never replayed: an Idempotency-Key is ignored. */
  readonly setsCookie?: true;
  /** The answer holds a key that must not be stored, so it is never replayed either. */
  readonly isSecret?: true;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RestBinding<FileField extends string = string> {
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
  /** GET on the same path with a body makes the same call. */
  readonly alsoByGet?: true;
  /** Name of the list in `data` that is answered to `Accept: text/csv`. */
  readonly csvOf?: string;
  /** Address of the same feed as RSS 2.0; `data` is a JSON Feed. */
  readonly rssPath?: `/${string}`;
  /** Largest accepted body in bytes; 256 KiB unless stated. */
  readonly maxBodyBytes?: number;
  /** The body is a form with one file in `field` instead of JSON. Further fields come before the file. */
  readonly multipart?: { readonly field: FileField; readonly maxBytes: number };
}

export interface McpBinding {
  /** Tool name including its `market_` prefix. */
  readonly tool: `market_${string}`;
  /** Short name for people, shown by hosts. */
  readonly title: string;
  /** When to call the tool, and which tool to call before or instead: one or two sentences. */
  readonly use: string;
  /** Replaces the operation's description if that one is about HTTP. */
  readonly description?: string;
  /** Scopes of the tool: any one lets a connected program call it. */
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

/** The parts of a definition that its type keeps. Parts that it lacks are `undefined`. */
interface TypedParts<I, O, E, P, L, F extends string> {
  readonly input: I;
  readonly output: O;
  readonly effects: E;
  readonly alsoPaid: P;
  readonly agentLimit: L;
  readonly rest: RestBinding<F>;
}

/**
 * A definition, typed by its schemas and by the facts that decide which handlers and rules it needs. Texts, errors and examples are data
 * and stay out of the type: a changed sentence would otherwise make the compiler check every file again that imports the contract.
 */
export interface Definition<
  I extends OperationInput | undefined,
  O extends OperationOutput,
  E extends Effects,
  P extends AlsoPaid | undefined,
  L extends RateLimit | undefined,
  F extends string,
> extends Omit<OperationSpec, keyof TypedParts<I, O, E, P, L, F>>,
    TypedParts<I, O, E, P, L, F> {}

/** A definition as it is written: without the parts that it lacks. */
type Draft<I, O, E, P, L, F extends string> = Omit<OperationSpec, keyof TypedParts<I, O, E, P, L, F>> &
  Pick<TypedParts<I, O, E, P, L, F>, 'output' | 'effects' | 'rest'> &
  Partial<Pick<TypedParts<I, O, E, P, L, F>, 'input' | 'alsoPaid' | 'agentLimit'>>;

export function defineOperation<
  O extends OperationOutput,
  E extends Effects,
  I extends OperationInput | undefined = undefined,
  P extends AlsoPaid | undefined = undefined,
  L extends RateLimit | undefined = undefined,
  F extends string = never,
>(spec: Draft<I, O, E, P, L, F>): Definition<I, O, E, P, L, F>;
export function defineOperation(spec: OperationSpec): OperationSpec {
  return Object.freeze(spec);
}

type PartOutput<P> = P extends z.ZodObject ? z.output<P> : unknown;
type PartInput<P> = P extends z.ZodObject ? z.input<P> : unknown;
/** A flag of the query is the word `true` or `false`; a program may pass the boolean. */
type OrBoolean<V> = string extends V ? V : 'true' | 'false' extends V ? V | boolean : V;
type QueryInput<P> = P extends z.ZodObject ? { [K in keyof z.input<P>]: OrBoolean<z.input<P>[K]> } : unknown;
type InputParts<S extends OperationSpec> = S extends { readonly input: infer I extends OperationInput } ? I : Record<never, never>;
type Part<I, K extends string> = I extends Record<K, infer P> ? P : unknown;
type FilePart<R extends RestBinding> = R extends RestBinding<infer F> ? Readonly<Record<F, Blob>> : unknown;
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

/** The REST binding, by which rate limits and custody signatures name an operation on every transport. */
export function endpointOf({ rest }: Pick<OperationSpec, 'rest'>): string {
  return `${rest.method} ${rest.path}`;
}

/** Documents, feeds and x402 addresses ignore unknown query fields, because crawlers and payment clients add their own. */
export function ignoresUnknownQuery({ output, rest }: Pick<OperationSpec, 'output' | 'rest'>): boolean {
  return output.bare === true || rest.path.startsWith('/api/x402/');
}

/** Arguments that carry a payment. A blank value is no payment. */
const paymentArguments = ['x_payment', 'payment_signature'] as const;

/** Whether the handler that takes payments answers this call. */
export function isPaidCall({ alsoPaid }: OperationSpec, args: Readonly<Record<string, unknown>>, hasCredentials: boolean): boolean {
  if (alsoPaid === undefined) return false;
  if (alsoPaid.withoutCredentials === true && !hasCredentials) return true;
  const asked = Object.entries(alsoPaid.onRequest ?? {}).some(([name, value]) => args[name] === value);
  return asked || paymentArguments.some((name) => typeof args[name] === 'string' && args[name].trim() !== '');
}

/** Whether an Idempotency-Key has an effect: only answers of changes are stored and replayed. */
export function keepsAnswers({ effects }: OperationSpec): boolean {
  return effects.kind !== 'read' && effects.setsCookie !== true && effects.isSecret !== true;
}

/** Whether a call can pay. Then spend policies are checked, and it may name a budget session. */
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
